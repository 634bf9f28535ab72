/** Follows the page of this client word for word, and runs the example and the tests of threads with the real service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listingsOf, ROOT, run } from '../../conformance/pages.ts';
import { World } from '../../conformance/world.ts';

const PLACEHOLDER = 'https://licenses.example.com';
const SOURCE = join(ROOT, 'clients/python/src');

const listings = listingsOf('docs/apps/python.md').filter(({ language }) => language === 'python');
const isProgram = ({ text }: { readonly text: string }) => text.includes('sys.argv');

const world = await World.start();
const folder = mkdtempSync(join(tmpdir(), 'latchkey-page-'));
try {
  const server = `${world.origin}/page/0`;
  const licenseOf = async (productId: string): Promise<string> =>
    (await world.service.admin('/createLicense', { email: 'ada@example.com', productId, maxMachines: 9 })).licenseKey;
  const key = await licenseOf('my-app');
  const python = (file: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
    run('python3', ['-B', file, ...args], {
      PYTHONPATH: SOURCE,
      XDG_STATE_HOME: join(folder, 'state'),
      ...environment,
    });
  const fileOf = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text.replaceAll(PLACEHOLDER, server));
    return file;
  };

  const programs = listings.filter(isProgram);
  assert.equal(programs.length, 2);
  for (const [index, { text }] of programs.entries()) {
    const program = fileOf(`program${index}.py`, text);
    const environment = { XDG_STATE_HOME: join(folder, `state${index}`) };
    assert.match(await python(program, [], environment), /^unlicensed: the app does not run/);
    assert.match(await python(program, [key], environment), /^licensed: the app runs/);
    assert.match(await python(program, [], environment), /^licensed: the app runs/, 'the key was stored');
  }

  const fragments = listings.filter((listing) => !isProgram(listing)).map(({ text }) => text);
  assert.ok(fragments.length >= 9, `${fragments.length} fragments`);
  const before = `import sys
from latchkey import Latchkey, Options
key, text_of_file = sys.argv[1], "no file"
app = Latchkey(Options(server="${PLACEHOLDER}", product_id="my-app"))
app.start()
`;
  const after = `
with Latchkey(options) as last:
    print(sentence_of(last.activate(key)))
app.close()
`;
  const said = await python(fileOf('fragments.py', before + fragments.join('\n') + after), [key]);
  assert.match(said, /^Please enter your license key\.$/m);
  assert.match(said, /^1 seats$/m);
  assert.match(said, /^not counted: meter_not_found$/m);
  assert.match(said, /^-----BEGIN LATCHKEY REQUEST-----$/m);
  assert.match(said, /^this file is not valid here: format$/m);
  assert.match(said, /^asking http/m);
  assert.match(said, /Licensed, key ending in \w+\.\n$/);

  const environment = {
    LATCHKEY_SERVER: server,
    LATCHKEY_KEYS: JSON.stringify(await world.trust()),
    LATCHKEY_STATE: join(folder, 'tool'),
  };
  const tool = async (...args: readonly string[]) =>
    python(join(ROOT, 'examples/python/tool.py'), args, environment).catch((error: Error) => error.message);
  const toolKey = await licenseOf('app');
  assert.match(await tool('work'), /ended with 1\nPlease enter your license key\./);
  assert.match(await tool('license', 'A-KEY'), /ended with 1\nThis license key is unknown\./);
  assert.equal(await tool('license', toolKey), `Licensed, key ending in ${toolKey.slice(-5)}.\n`);
  assert.equal(await tool('work'), 'The work is done.\n');
  assert.match(await tool('status'), new RegExp(`^licensed, \\w+, key ending in ${toolKey.slice(-5)}\n$`));
  await world.service.kill();
  assert.equal(await tool('work'), 'The work is done.\n');
  assert.match(await tool('move'), /The license server cannot be reached\./);
  await world.service.start();
  assert.equal(await tool('move'), 'This machine is free.\n');

  await python(join(import.meta.dirname, 'live.py'), [], {
    LATCHKEY_SERVER: server,
    LATCHKEY_KEY: key,
    LATCHKEY_OTHER_KEY: await licenseOf('my-app'),
  });
  process.stdout.write(
    `the page is right: ${programs.length} programs, ${fragments.length} fragments, the example and the threads ran\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
  await world.stop();
}
