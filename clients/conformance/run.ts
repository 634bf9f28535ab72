/**
 * Builds and tests the clients of all languages that this machine has the tools for, and names the others. Then plays
 * every scenario with apps of all these languages by turns, which share machines and stored states:
 *
 *   npm run test:clients                      their own tests, every scenario, and short walks
 *   npm run test:clients -- --only c          one language
 *   npm run test:clients -- --scenario TEXT   the scenarios whose name or group contains a text
 *   npm run test:clients -- --long            walks of 10,000 steps for 20 seeds, and the long tests of each language
 *   npm run test:clients -- --walk SEED       a walk, and nothing else; several seeds are named by several --walk
 *   npm run test:clients -- --steps N         the number of steps of each walk
 *   npm run test:clients -- --only-scenarios  neither builds nor runs the tests of the language; walks only with --walk
 *   npm run test:clients -- --at-once N       the number of languages, and of walks, at the same time; 3 if absent
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Tested, testEach } from './alone.ts';
import { only } from './choices.ts';
import { DriverPool } from './drivers.ts';
import { driverOf, findLanguages, type Language } from './languages.ts';
import { Reports, secondsSoFar } from './reports.ts';
import { type Mixed, testTogether } from './together.ts';

/** Tests the chosen languages, several at once and the reference first. Returns the names of those that failed. */
async function testAll(): Promise<readonly string[]> {
  const [reference, ...others] = findLanguages() as readonly [Language, ...Language[]];
  const chosen = [reference, ...others.filter(({ name }) => only === undefined || only.includes(name))];
  const reports = new Reports((line) => process.stdout.write(`${line}\n`));
  const clients = chosen.map(
    (language): Tested => ({
      language,
      drivers: new DriverPool(driverOf(language)),
      report: reports.next(language === reference ? `${language.name} (the reference)` : language.name),
      failures: [],
      isPlayed: false,
    }),
  );
  const mixed: Mixed = { name: 'by turns', pools: [], failures: [] };
  try {
    const reference = await testEach(clients);
    const played = clients.filter(({ isPlayed }) => isPlayed);
    mixed.pools.push(...played.map(({ drivers }) => drivers));
    if (played.length > 1) await testTogether(played, mixed, reference, reports.next('all together'));
  } finally {
    await Promise.all(clients.map(({ drivers }) => drivers.end()));
  }
  const names = clients.map(({ language: { name }, failures }) => ({ name, failures }));
  return [...names, mixed].filter(({ failures }) => failures.length > 0).map(({ name }) => name);
}

async function main(): Promise<boolean> {
  // The reader of the output may close the pipe early, as `head` does.
  process.stdout.on('error', () => {});
  // Services and commands start often: each takes the compiled modules of the first.
  const compiled = mkdtempSync(join(tmpdir(), 'latchkey-compiled-'));
  process.env.NODE_COMPILE_CACHE ??= compiled;
  try {
    const failed = await testAll();
    const outcome = failed.length === 0 ? 'Every tested client passes' : `Not passed: ${failed.join(', ')}`;
    process.stdout.write(`${outcome}, after ${secondsSoFar()} s.\n`);
    return failed.length === 0;
  } finally {
    rmSync(compiled, { recursive: true, force: true, maxRetries: 3 });
  }
}

process.exitCode = (await main()) ? 0 : 1;
