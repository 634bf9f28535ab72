/**
 * Builds and tests the clients of all languages that this machine has the tools for, and names the others:
 *
 *   npm run test:clients                      their own tests, every scenario, and short walks
 *   npm run test:clients -- --only c          one language
 *   npm run test:clients -- --scenario TEXT   the scenarios whose name or group contains a text
 *   npm run test:clients -- --long            walks of 10,000 steps for 20 seeds, and the long tests of each language
 *   npm run test:clients -- --walk SEED       one walk, and nothing else
 *   npm run test:clients -- --steps N         the number of steps of each walk
 *   npm run test:clients -- --only-scenarios  neither builds nor runs the tests of the language; walks only with --walk
 *   npm run test:clients -- --at-once N       the number of languages that are tested at the same time; 3 if absent
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Drivers } from './drivers.ts';
import { driverOf, findLanguages, type Language, lackingPrograms, runAll } from './languages.ts';
import { Play } from './play.ts';
import { Reports, type Say } from './reports.ts';
import { readScenarios, type Scenario } from './scenario.ts';
import { Walk } from './walk.ts';
import { World } from './world.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    scenario: { type: 'string' },
    long: { type: 'boolean', default: false },
    walk: { type: 'string', multiple: true },
    steps: { type: 'string' },
    'only-scenarios': { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '3' },
  },
});

const SHORT = { seeds: [1, 2], steps: 40 };
const LONG = { seeds: Array.from({ length: 20 }, (_, index) => index + 1), steps: 10_000 };

const seconds = () => Math.round(performance.now() / 1000);

/** The traces of the reference, by the name of the scenario. */
type Traces = ReadonlyMap<string, readonly unknown[]>;

/** The reference client, with which the others are compared. */
interface Reference {
  readonly drivers: Drivers;
  readonly traces: Traces;
}

/** Plays the scenarios. Returns the failures, and the traces of those that passed. */
async function playAll(
  world: World,
  drivers: Drivers,
  scenarios: readonly Scenario[],
  say: Say,
): Promise<{ readonly failures: string[]; readonly traces: Traces }> {
  const failures: string[] = [];
  const traces = new Map<string, readonly unknown[]>();
  let left = 0;
  for (const scenario of scenarios) {
    const name = `${scenario.group}: ${scenario.name}`;
    const play = new Play(world, drivers);
    if (!(await play.canPlay(scenario))) {
      say(`left out, needs ${scenario.needs.join(', ')}: ${name}`);
      left += 1;
      continue;
    }
    try {
      await play.run(scenario);
      traces.set(name, play.trace);
    } catch (error) {
      failures.push(`${name}\n    ${(error as Error).message.replaceAll('\n', '\n    ')}`);
    } finally {
      await play.end();
    }
  }
  say(`${traces.size} scenarios passed, ${failures.length} failed, ${left} left out, ${seconds()} s`);
  return { failures, traces };
}

/** The scenarios with an answer that differs from the reference's: for each the first one. */
function differences(traces: Traces, reference: Traces): readonly string[] {
  return [...traces].flatMap(([name, trace]) => {
    const awaited = reference.get(name) ?? [];
    const index = awaited.findIndex((answer, at) => !isDeepStrictEqual(trace[at], answer));
    return index === -1
      ? []
      : [
          `${name}\n    answer ${index + 1} differs from the reference's:` +
            `\n    ${JSON.stringify(trace[index])}\n    ${JSON.stringify(awaited[index])}`,
        ];
  });
}

async function walkAll(world: World, reference: Drivers, drivers: Drivers, say: Say): Promise<readonly string[]> {
  const { seeds, steps } = values.long ? LONG : SHORT;
  const chosen = values.walk?.map(Number) ?? seeds;
  const failures: string[] = [];
  for (const seed of chosen) {
    const walk = new Walk(world, [reference, drivers], seed);
    const failure = await walk.run(Number(values.steps ?? steps));
    if (failure !== null) failures.push(`walk ${seed}: ${failure}`);
  }
  say(`${chosen.length - failures.length} of ${chosen.length} walks agree with the reference, ${seconds()} s`);
  return failures;
}

/** Builds a client and runs its own tests. */
async function build(language: Language, isWhole: boolean, say: Say): Promise<void> {
  await runAll(language, language.build);
  if (isWhole) {
    const tests = values.long ? [...language.test, ...language.long] : language.test;
    for (const line of await runAll(language, tests)) say(line);
  }
  say(`built and tested by its own tests, ${seconds()} s`);
}

/**
 * Tests one client in a world of its own: a service with the rotated keys of many clients publishes more lists than a
 * client examines. Returns the failures.
 *
 * @param drivers the drivers of the client; its caller ends them
 * @param reference null for the reference itself
 * @param onPlayed takes the traces of the scenarios
 */
async function test(
  language: Language,
  drivers: Drivers,
  reference: Promise<Reference> | null,
  say: Say,
  onPlayed: (traces: Traces) => void,
): Promise<readonly string[]> {
  const lacking = lackingPrograms(language);
  if (lacking.length > 0) {
    say(`left out, this machine has no ${lacking.join(', ')}`);
    return [];
  }
  const isQuick = values['only-scenarios'];
  const isWhole = values.scenario === undefined && values.walk === undefined;
  try {
    if (!isQuick) await build(language, isWhole, say);
  } catch (error) {
    return [(error as Error).message];
  }
  const world = await World.start();
  try {
    const { failures, traces } = await playAll(world, drivers, scenariosOf(), say);
    onPlayed(traces);
    if (reference === null) return failures;
    const awaited = await reference;
    failures.push(...differences(traces, awaited.traces));
    if (values.walk !== undefined || (!isQuick && isWhole))
      failures.push(...(await walkAll(world, awaited.drivers, drivers, say)));
    return failures;
  } finally {
    await world.stop();
  }
}

/** The chosen scenarios; none where single walks are chosen. */
function scenariosOf(): readonly Scenario[] {
  if (values.walk !== undefined) return [];
  return readScenarios().filter(
    ({ name, group }) => values.scenario === undefined || `${group}: ${name}`.includes(values.scenario),
  );
}

/** Tests the chosen languages, several at once and the reference first. Returns the names of those that failed. */
async function testAll(): Promise<readonly string[]> {
  const [referenceLanguage, ...others] = findLanguages() as readonly [Language, ...Language[]];
  const chosen = [
    referenceLanguage,
    ...others.filter(({ name }) => values.only === undefined || values.only.includes(name)),
  ];
  const reports = new Reports((line) => process.stdout.write(`${line}\n`));
  const left = chosen.map((language) => ({
    language,
    drivers: new Drivers(driverOf(language)),
    report: reports.next(language === referenceLanguage ? `${language.name} (the reference)` : language.name),
  }));
  const opened = left.map(({ drivers }) => drivers);
  const reference = Promise.withResolvers<Reference>();
  const failed: string[] = [];
  const testNext = async (): Promise<void> => {
    const next = left.shift();
    if (next === undefined) return;
    const { language, drivers, report } = next;
    const isReference = language === referenceLanguage;
    const played = (traces: Traces) => isReference && reference.resolve({ drivers, traces });
    try {
      const failures = await test(language, drivers, isReference ? null : reference.promise, report.say, played).catch(
        (error: Error) => [error.message],
      );
      for (const failure of failures) report.say(`✖ ${failure}`);
      if (failures.length > 0) failed.push(language.name);
    } finally {
      // Nobody waits for a reference that did not come so far.
      if (isReference) reference.resolve({ drivers, traces: new Map() });
      report.end();
    }
    return testNext();
  };
  try {
    await Promise.all(Array.from({ length: Number(values['at-once']) }, testNext));
  } finally {
    await Promise.all(opened.map((drivers) => drivers.end()));
  }
  return failed;
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
    process.stdout.write(`${outcome}, after ${seconds()} s.\n`);
    return failed.length === 0;
  } finally {
    rmSync(compiled, { recursive: true, force: true, maxRetries: 3 });
  }
}

process.exitCode = (await main()) ? 0 : 1;
