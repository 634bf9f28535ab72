/** Follows the page of this client word for word, and runs the example and the tests of threads with the real service. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { listingsOf, ROOT, run } from '../../conformance/pages.ts';
import { World } from '../../conformance/world.ts';

const PLACEHOLDER = 'https://licenses.example.com';
const CRATE = join(ROOT, 'clients/rust');
const EXAMPLE = join(ROOT, 'examples/rust');
/** The versions and the compiled crates are those of the client. */
const TARGET = join(CRATE, 'target');
/** Listings whose parts stand outside of functions. */
const TOP_LEVEL = /^(fn \w|pub const)/m;

/** Runs a tool of cargo, and prints that it is left out where it is not installed. */
function lint(tool: string, ...args: readonly string[]): void {
  if (spawnSync('cargo', [tool, '--version']).status !== 0) process.stdout.write(`left out cargo ${tool}\n`);
  else {
    const { status, stdout, stderr } = spawnSync('cargo', [tool, ...args], { cwd: CRATE, encoding: 'utf8' });
    assert.equal(status, 0, `cargo ${tool}\n${stdout}${stderr}`);
  }
}

/** One program that runs every fragment of the page. */
function programOf(fragments: readonly string[]): string {
  const blocks = fragments.filter((text) => !TOP_LEVEL.test(text)).map((text) => `    {\n${text}\n    }`);
  return `use latchkey::{Client, Consumption, Error, HttpTransport, Options, Release, Request, State, Status, Transport, Use};
use std::time::Duration;

${fragments.filter((text) => TOP_LEVEL.test(text)).join('\n')}

fn options() -> Options {
    Options::new("${PLACEHOLDER}", "my-app")
}

fn main() -> Result<(), Error> {
    let (key, text_of_file) = (std::env::args().nth(1).unwrap(), String::from("no file"));
    let mut options = options();
    let app = Client::new(self::options())?;
    println!("{}", sentence_of(&app.start()));
${blocks.join('\n')}
    app.close();
    let last = Client::new(options)?;
    last.start();
    last.activate(&key)?;
    println!("{}", sentence_of(&last.state()));
    last.close();
    Ok(())
}
`;
}

const listings = listingsOf('docs/apps/rust.md');
const written = (wanted: string) => listings.filter(({ language }) => language === wanted).map(({ text }) => text);
const world = await World.start();
const folder = mkdtempSync(join(tmpdir(), 'latchkey-page-'));
try {
  lint('fmt', '--check');
  lint('fmt', '--check', '--manifest-path', join(EXAMPLE, 'Cargo.toml'), '--', '--config-path', CRATE);
  lint('clippy', '--locked', '--all-targets', '--', '-D', 'warnings');
  lint('clippy', '--locked', '--no-default-features', '--', '-D', 'warnings');

  const server = `${world.origin}/page/0`;
  const licenseOf = async (order: object): Promise<string> =>
    (await world.service.admin('/createLicense', { email: 'ada@example.com', ...order })).licenseKey;
  const key = await licenseOf({ productId: 'my-app', maxMachines: 9, features: { seats: 5 } });

  const [whole = '', ...fragments] = written('rust');
  assert.match(whole, /^use latchkey/);
  assert.ok(fragments.length >= 10, `${fragments.length} fragments`);
  const place = join(folder, 'app');
  mkdirSync(join(place, 'src/bin'), { recursive: true });
  symlinkSync(CRATE, join(place, 'latchkey-rust'));
  const [dependency = ''] = written('toml');
  writeFileSync(
    join(place, 'Cargo.toml'),
    `[package]\nname = "page"\nversion = "1.0.0"\nedition = "2021"\n\n${dependency}`,
  );
  copyFileSync(join(CRATE, 'Cargo.lock'), join(place, 'Cargo.lock'));
  writeFileSync(join(place, 'src/main.rs'), whole.replaceAll(PLACEHOLDER, server));
  writeFileSync(join(place, 'src/bin/fragments.rs'), programOf(fragments).replaceAll(PLACEHOLDER, server));
  const build = (manifest: string) =>
    run('cargo', ['build', '--offline', '--manifest-path', manifest, '--target-dir', TARGET]);
  await build(join(place, 'Cargo.toml'));
  const environment = { XDG_STATE_HOME: join(folder, 'state') };
  const program = join(TARGET, 'debug/page');
  assert.equal(await run(program, [], environment), 'unlicensed false\n');
  assert.equal(await run(program, [key], environment), 'licensed true\n');
  assert.equal(await run(program, [], environment), 'licensed true\n', 'the key was stored');

  const said = await run(join(TARGET, 'debug/fragments'), [key], { XDG_STATE_HOME: join(folder, 'fragments-state') });
  assert.match(said, /^Please enter your license key\.$/m);
  assert.match(said, /^5 seats$/m);
  assert.match(said, /^not counted: refused: meter_not_found/m);
  assert.match(said, /^-----BEGIN LATCHKEY REQUEST-----$/m);
  assert.match(said, /^this file is not valid here: format$/m);
  assert.match(said, /^asking http/m);
  assert.match(said, /Licensed, key ending in \w+\.\n$/);

  const copy = join(folder, 'clients/rust');
  mkdirSync(join(folder, 'clients'));
  symlinkSync(CRATE, copy);
  cpSync(EXAMPLE, join(folder, 'examples/rust'), { recursive: true });
  copyFileSync(join(CRATE, 'Cargo.lock'), join(folder, 'examples/rust/Cargo.lock'));
  await build(join(folder, 'examples/rust/Cargo.toml'));
  const notesKey = await licenseOf({ productId: 'app', maxMachines: 1 });
  const trust = JSON.stringify(await world.trust());
  const start = (state: string) => {
    const child = spawn(join(TARGET, 'debug/notes'), {
      env: { ...process.env, LATCHKEY_SERVER: server, LATCHKEY_KEYS: trust, LATCHKEY_STATE: join(folder, state) },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    /** Enters a line, and reads until a line has the form. */
    const enter = async (line: string, form: RegExp): Promise<void> => {
      if (line !== '') child.stdin!.write(`${line}\n`);
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`the example ended before ${form}`);
        if (form.test(value)) return;
      }
    };
    return { child, enter };
  };
  const notes = start('desk');
  await notes.enter('', /^\[Notes: please enter your license key\]$/);
  await notes.enter('add one', /^\[Notes: please enter your license key\]$/);
  await notes.enter('key A-KEY', /^this license key is unknown/);
  await notes.enter('trial', /^(Product not found|this app has no trial|the license server refused this)/);
  await notes.enter(`key ${notesKey}`, /^\[Notes\]$/);
  notes.child.stdin!.write('add one\nadd two\n');
  await notes.enter('list', /^one$/);
  await notes.enter('file /no/such/file', /No such file/);
  await notes.enter(`file ${join(EXAMPLE, 'Cargo.toml')}`, /^bad license file: this is not a license file$/);
  await notes.enter(`request ${notesKey}`, /^-----END LATCHKEY REQUEST-----$/);
  await world.service.admin('/replaceLicense', { licenseKey: notesKey });
  // Another key of the license is a change of the state.
  await notes.enter(`key ${notesKey}`, /^\[Notes\]$/);
  const laptop = start('laptop');
  await laptop.enter(`key ${notesKey}`, /^your license has a new key/);
  laptop.child.stdin!.write('quit\n');
  assert.deepEqual(await once(laptop.child, 'exit'), [0, null]);
  await notes.enter('free', /^\[Notes: please enter your license key\]$/);
  notes.child.stdin!.write('quit\n');
  assert.deepEqual(await once(notes.child, 'exit'), [0, null]);

  await run('cargo', ['test', '--locked', '--manifest-path', join(CRATE, 'Cargo.toml')], {
    LATCHKEY_SERVER: server,
    LATCHKEY_KEY: key,
  });
  await run('cargo', [
    'package',
    '--locked',
    '--offline',
    '--allow-dirty',
    '--manifest-path',
    join(CRATE, 'Cargo.toml'),
  ]);
  process.stdout.write(`the page is right: a program, ${fragments.length} fragments, the example and the tests ran\n`);
} finally {
  rmSync(folder, { recursive: true });
  await world.stop();
}
