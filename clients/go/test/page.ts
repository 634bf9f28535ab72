/** Follows the page of this client word for word, and runs the example and the tests of goroutines with the real service. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { listingsOf, ROOT, run } from '../../conformance/pages.ts';
import { World } from '../../conformance/world.ts';

const PLACEHOLDER = 'https://licenses.example.com';
const MODULE = join(ROOT, 'clients/go');
/** Listings whose parts stand outside of functions. */
const TOP_LEVEL = /^(func \w|const issuer|var publicKeys)/m;

/** Runs a tool, and prints that it is left out where it is not installed. */
function lint(tool: string, ...args: readonly string[]): void {
  const { status, error, stdout, stderr } = spawnSync(tool, args, { cwd: MODULE, encoding: 'utf8' });
  if (error !== undefined) process.stdout.write(`left out ${tool}: ${error.message}\n`);
  else assert.deepEqual([status, stdout, stderr], [0, '', ''], tool);
}

/** One program that runs every fragment of the page. */
function programOf(fragments: readonly string[]): string {
  const inside = fragments.filter((text) => !TOP_LEVEL.test(text));
  const blocks = inside.map((text) => `{\n${text}\n}`).join('\n');
  return `package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"example.com/latchkey"
)

${fragments.filter((text) => TOP_LEVEL.test(text)).join('\n')}

func main() {
	ctx, key, textOfFile := context.Background(), os.Args[1], "no file"
	options := latchkey.Options{Server: []string{"${PLACEHOLDER}"}, ProductID: "my-app"}
	app, err := latchkey.New(options)
	if err != nil {
		log.Fatal(err)
	}
	app.Start(ctx)
	fmt.Println(sentenceOf(app.State()))
	${blocks}
	app.Close(ctx)
	last, err := latchkey.New(options)
	if err != nil {
		log.Fatal(err)
	}
	last.Start(ctx)
	if _, err := last.Activate(ctx, key); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sentenceOf(last.State()))
	last.Close(ctx)
}
`;
}

const listings = listingsOf('docs/apps/go.md')
  .filter(({ language }) => language === 'go')
  .map(({ text }) => text);
const world = await World.start();
const folder = mkdtempSync(join(tmpdir(), 'latchkey-page-'));
try {
  lint('gofmt', '-l', '.');
  lint('go', 'vet', './...');
  lint('staticcheck', './...');
  for (const system of ['windows', 'darwin']) await run('go', ['-C', MODULE, 'vet', '.'], { GOOS: system });

  const server = `${world.origin}/page/0`;
  const licenseOf = async (order: object): Promise<string> =>
    (await world.service.admin('/createLicense', { email: 'ada@example.com', ...order })).licenseKey;
  const key = await licenseOf({ productId: 'my-app', maxMachines: 9 });
  const build = async (name: string, text: string): Promise<string> => {
    const place = join(folder, name);
    mkdirSync(place);
    writeFileSync(join(place, 'main.go'), text.replaceAll(PLACEHOLDER, server));
    writeFileSync(join(place, 'go.mod'), 'module example.com/app\n\ngo 1.21\n');
    await run('go', ['-C', place, 'mod', 'edit', '-require', 'example.com/latchkey@v1.0.0']);
    await run('go', ['-C', place, 'mod', 'edit', '-replace', `example.com/latchkey=${MODULE}`]);
    await run('go', ['-C', place, 'build', '-o', 'program', '.']);
    return join(place, 'program');
  };
  const environment = { XDG_STATE_HOME: join(folder, 'state') };
  const [whole = '', ...fragments] = listings;
  assert.match(whole, /^package main/);
  const program = await build('whole', whole);
  assert.equal(await run(program, [], environment), 'unlicensed false\n');
  assert.equal(await run(program, [key], environment), 'licensed true\n');
  assert.equal(await run(program, [], environment), 'licensed true\n', 'the key was stored');

  assert.ok(fragments.length >= 10, `${fragments.length} fragments`);
  const said = await run(await build('fragments', programOf(fragments)), [key], {
    XDG_STATE_HOME: join(folder, 'fragments-state'),
  });
  assert.match(said, /^Please enter your license key\.$/m);
  assert.match(said, /^not counted: latchkey: refused: meter_not_found/m);
  assert.match(said, /^-----BEGIN LATCHKEY REQUEST-----$/m);
  assert.match(said, /^this file is not valid here: format$/m);
  assert.match(said, /^asking http/m);
  assert.match(said, /Licensed, key ending in \w+\.\n$/);

  const built = join(folder, 'example');
  await run('go', ['-C', join(ROOT, 'examples/go'), 'build', '-o', built, '.']);
  const siteKey = await licenseOf({ productId: 'app', licenseType: 'site' });
  const trust = JSON.stringify(await world.trust());
  const start = async (instance: string, licenseKey: string) => {
    const child = spawn(built, {
      env: {
        ...process.env,
        LATCHKEY_SERVER: server,
        LATCHKEY_KEYS: trust,
        LATCHKEY_STATE: join(folder, instance),
        INSTANCE: instance,
        LICENSE_KEY: licenseKey,
        PORT: '0',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const lines = createInterface({ input: child.stderr! })[Symbol.asyncIterator]();
    const until = async (form: RegExp): Promise<string> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`the example ended before ${form}`);
        if (form.test(value)) return value;
      }
    };
    const address = (await until(/^listening on /)).replace('listening on ', 'http://');
    const ask = async (method: string) => (await fetch(address, { method })).status;
    return { child, until, ask };
  };
  const licensed = await start('pod 1', siteKey);
  await licensed.until(/^license: licensed$/);
  assert.deepEqual([await licensed.ask('GET'), await licensed.ask('POST')], [200, 200]);
  const other = await start('pod 2', 'A-KEY');
  await other.until(/^This license key is unknown\./);
  assert.deepEqual([await other.ask('GET'), await other.ask('POST')], [200, 503]);
  for (const { child } of [licensed, other]) {
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  }

  await run('go', ['-C', MODULE, 'test', '-count=1', '.'], {
    LATCHKEY_SERVER: server,
    LATCHKEY_KEY: key,
    LATCHKEY_OTHER_KEY: await licenseOf({ productId: 'my-app' }),
  });
  process.stdout.write(`the page is right: a program, ${fragments.length} fragments, the example and the tests ran\n`);
} finally {
  rmSync(folder, { recursive: true });
  await world.stop();
}
