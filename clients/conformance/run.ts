/**
 * Builds and tests the clients of all languages that this machine has the tools for, and names the others:
 *
 *   npm run test:clients                      their own tests, every scenario, and short walks
 *   npm run test:clients -- --only c          one language
 *   npm run test:clients -- --scenario TEXT   the scenarios whose name or group contains a text
 *   npm run test:clients -- --long            walks of 10,000 steps for 20 seeds
 *   npm run test:clients -- --walk SEED       one walk, and nothing else
 *   npm run test:clients -- --steps N         the number of steps of each walk
 *   npm run test:clients -- --only-scenarios  neither builds nor runs the tests of the language; walks only with --walk
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Drivers } from './drivers.ts';
import { driverOf, findLanguages, type Language, lackingPrograms, runAll } from './languages.ts';
import { Play } from './play.ts';
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
  },
});

const SHORT = { seeds: [1, 2, 3], steps: 60 };
const LONG = { seeds: Array.from({ length: 20 }, (_, index) => index + 1), steps: 10_000 };

// The reader of the output may close the pipe early, as `head` does.
process.stdout.on('error', () => {});
const say = (line: string) => process.stdout.write(`${line}\n`);
const seconds = () => Math.round(performance.now() / 1000);

/** The traces of the reference, by the name of the scenario. */
type Traces = Map<string, readonly unknown[]>;

/** Plays the scenarios. Returns the failures. */
async function playAll(
  world: World,
  drivers: Drivers,
  scenarios: readonly Scenario[],
  reference: Traces | null,
): Promise<{ readonly failures: readonly string[]; readonly traces: Traces }> {
  const failures: string[] = [];
  const traces: Traces = new Map();
  let left = 0;
  for (const scenario of scenarios) {
    const name = `${scenario.group}: ${scenario.name}`;
    const play = new Play(world, drivers);
    if (!(await play.canPlay(scenario))) {
      say(`  left out, needs ${scenario.needs.join(', ')}: ${name}`);
      left += 1;
      continue;
    }
    try {
      await play.run(scenario);
      traces.set(name, play.trace);
      const awaited = reference?.get(name);
      if (awaited !== undefined) mustAgree(play.trace, awaited);
    } catch (error) {
      failures.push(`${name}\n    ${(error as Error).message.replaceAll('\n', '\n    ')}`);
    } finally {
      await play.end();
    }
  }
  say(`  ${scenarios.length - left - failures.length} scenarios passed, ${failures.length} failed, ${left} left out`);
  return { failures, traces };
}

/** Throws at the first answer that differs from the reference's. */
function mustAgree(trace: readonly unknown[], reference: readonly unknown[]): void {
  for (const [index, awaited] of reference.entries())
    if (!isDeepStrictEqual(trace[index], awaited))
      throw new Error(
        `answer ${index + 1} differs from the reference's:\n${JSON.stringify(trace[index])}\n${JSON.stringify(awaited)}`,
      );
}

async function walkAll(world: World, reference: Drivers, drivers: Drivers): Promise<readonly string[]> {
  const { seeds, steps } = values.long ? LONG : SHORT;
  const chosen = values.walk?.map(Number) ?? seeds;
  const failures: string[] = [];
  for (const seed of chosen) {
    const walk = new Walk(world, [reference, drivers], seed);
    const failure = await walk.run(Number(values.steps ?? steps));
    if (failure !== null) failures.push(`walk ${seed}: ${failure}`);
  }
  say(`  ${chosen.length - failures.length} of ${chosen.length} walks agree with the reference`);
  return failures;
}

/**
 * Tests one client in a world of its own: a service with the rotated keys of many clients publishes more lists than a
 * client examines. Returns the failures.
 */
async function test(
  language: Language,
  reference: { readonly drivers: Drivers; readonly traces: Traces } | null,
): Promise<{ readonly failures: readonly string[]; readonly traces: Traces; readonly drivers: Drivers }> {
  const isQuick = values['only-scenarios'];
  const isWhole = values.scenario === undefined && values.walk === undefined;
  const drivers = new Drivers(driverOf(language));
  const failures: string[] = [];
  try {
    if (!isQuick) runAll(language, language.build);
    if (!isQuick && isWhole) for (const line of runAll(language, language.test)) say(`  ${line}`);
    if (!isQuick) say(`  built and tested by its own tests, ${seconds()} s`);
  } catch (error) {
    return { failures: [(error as Error).message], traces: new Map(), drivers };
  }
  const world = await World.start();
  try {
    const played = await playAll(world, drivers, scenariosOf(), reference?.traces ?? null);
    failures.push(...played.failures);
    if (reference !== null && (values.walk !== undefined || (!isQuick && isWhole)))
      failures.push(...(await walkAll(world, reference.drivers, drivers)));
    return { failures, traces: played.traces, drivers };
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

async function main(): Promise<boolean> {
  const [referenceLanguage, ...others] = findLanguages() as readonly [Language, ...Language[]];
  const isChosen = ({ name }: Language) => values.only === undefined || values.only.includes(name);
  const failed: string[] = [];
  const opened: Drivers[] = [];
  try {
    say(`${referenceLanguage.name} (the reference)`);
    const reference = await test(referenceLanguage, null);
    opened.push(reference.drivers);
    const report = (language: Language, failures: readonly string[]) => {
      for (const failure of failures) say(`  ✖ ${failure}`);
      if (failures.length > 0) failed.push(language.name);
    };
    report(referenceLanguage, reference.failures);
    for (const language of others.filter(isChosen)) {
      const lacking = lackingPrograms(language);
      if (lacking.length > 0) {
        say(`${language.name}: left out, this machine has no ${lacking.join(', ')}`);
        continue;
      }
      say(language.name);
      const tested = await test(language, reference);
      opened.push(tested.drivers);
      report(language, tested.failures);
    }
  } finally {
    await Promise.all(opened.map((drivers) => drivers.end()));
  }
  say(
    `${failed.length === 0 ? 'Every tested client passes' : `Not passed: ${failed.join(', ')}`}, after ${seconds()} s.`,
  );
  return failed.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
