/** Follows the page of this client word for word: compiles its listings, and runs them and the example with the real service. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listingsOf, ROOT, run } from '../../conformance/pages.ts';
import { World } from '../../conformance/world.ts';

const BUILT = join(import.meta.dirname, '../build/plain');
const PLACEHOLDER = 'https://licenses.example.com';
/** Listings whose parts stand outside of functions. */
const TOP_LEVEL = /^(#define|std::string \w+\(|void \w+\(|struct )/;

const listings = listingsOf('docs/apps/c.md');

/** One program that calls every fragment of the page. */
function programOf(fragments: readonly string[]): string {
  const outside = fragments.filter((text) => TOP_LEVEL.test(text));
  const inside = fragments.filter((text) => !TOP_LEVEL.test(text));
  const functions = inside.map((text, index) => {
    const client = text.includes('latchkey::Client license')
      ? ''
      : 'latchkey::Client license(options); license.start();';
    return `static void listing${index}(latchkey::Options options, const std::string &key, const std::string &textOfFile) {
      ${client} (void)key; (void)textOfFile;\n${text}\n}`;
  });
  return `#include <latchkey.hpp>
#include <latchkey_curl.h>
#include <algorithm>
#include <iostream>
#include <thread>
static latchkey::Options optionsOfApp();
${outside.join('\n')}
static latchkey::Options optionsOfApp() {
  latchkey::Options options;
  options.servers = {"${PLACEHOLDER}"};
  options.productId = "my-app";
  options.transport = latchkey_curl_transport(nullptr);
  return options;
}
${functions.join('\n')}
int main(int, char **arguments) {
${inside.map((_, index) => `  listing${index}(optionsOfApp(), arguments[1], "no file");`).join('\n')}
  latchkey::Options trusting = optionsOfApp();
  trustFiles(trusting);
  SharedLicense shared;
  // The worker starts the client in its own thread.
  for (int tries = 0; tries < 1000 && !shared.client.mayRun(); tries++)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  float samples[] = {1.0f};
  processBlock(shared, samples, 1);
  std::cout << sentenceOf(shared.client.state()) << " " << samples[0] << std::endl;
}`;
}

const world = await World.start();
const folder = mkdtempSync(join(tmpdir(), 'latchkey-page-'));
try {
  const server = `${world.origin}/page/0`;
  const { licenseKey } = await world.service.admin('/createLicense', {
    email: 'ada@example.com',
    productId: 'my-app',
    maxMachines: 1,
  });
  const flags = [
    `-I${ROOT}/clients/c`,
    `-I${ROOT}/clients/c/adapters`,
    ...['-Wall', '-Wextra', '-Werror'],
    ...[`${BUILT}/liblatchkey_curl.a`, `${BUILT}/liblatchkey.a`, '-lcurl', '-lpthread'],
  ];
  const compile = async (name: string, text: string, ending: 'c' | 'cpp'): Promise<string> => {
    const source = join(folder, `${name}.${ending}`);
    const program = join(folder, name);
    writeFileSync(source, text.replaceAll(PLACEHOLDER, server));
    await run(ending === 'c' ? 'gcc' : 'g++', [
      ending === 'c' ? '-std=c11' : '-std=c++17',
      source,
      '-o',
      program,
      ...flags,
    ]);
    return program;
  };
  const environment = { XDG_STATE_HOME: join(folder, 'state') };
  const programs = listings.filter(({ text }) => text.includes('int main('));
  assert.deepEqual(
    programs.map(({ language }) => language),
    ['cpp', 'c'],
  );
  for (const [index, { language, text }] of programs.entries()) {
    const program = await compile(`program${index}`, text, language as 'c' | 'cpp');
    assert.match(await run(program, [licenseKey], environment), /^licensed: the app runs/);
    assert.match(await run(program, [], environment), /^licensed: the app runs/, 'the key was stored');
  }
  const fragments = listings.filter(({ language, text }) => language === 'cpp' && !text.includes('int main('));
  assert.ok(fragments.length >= 10, `${fragments.length} fragments`);
  const all = await compile('fragments', programOf(fragments.map(({ text }) => text)), 'cpp');
  const said = await run(all, [licenseKey], environment);
  assert.match(said, /this file is not valid here: format/);
  assert.match(said, /-----BEGIN LATCHKEY REQUEST-----/);
  assert.match(said, /not counted: meter_not_found/);
  assert.match(said, /Licensed, key ending in \w+\. 1\n$/);

  const build = join(folder, 'example');
  mkdirSync(build);
  await run('cmake', ['-S', join(ROOT, 'examples/juce-like-plug-in'), '-B', build]);
  await run('cmake', ['--build', build]);
  const host = spawn(join(build, 'host'), [server, 'my-app', join(folder, 'host')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  host.stdout.on('data', (part) => (shown += part));
  const ended = new Promise((resolve) => host.on('close', resolve));
  // The slot of the license is taken by the programs above.
  await world.service.admin('/resetActivations', { licenseKey });
  host.stdin.write(`play\nkey nonsense\nkey ${licenseKey}\nplay\nquit\n`);
  assert.equal(await ended, 0);
  const lines = shown.trim().split('\n');
  assert.match(lines[0] ?? '', /^0 0 \| Please enter your license key/);
  assert.match(lines[1] ?? '', /^not accepted: license_not_found/);
  assert.match(lines.at(-1) ?? '', /^0\.5 1 \| Licensed, key ending in/);
  process.stdout.write(
    `the page is right: ${programs.length} programs, ${fragments.length} fragments and the example ran\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
  await world.stop();
}
