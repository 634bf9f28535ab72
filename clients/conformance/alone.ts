/** Tests each client by itself: its own tests, and the scenarios. */
import { chosenScenarios, inLanes, isBuilding, isLong, isWhole } from './choices.ts';
import type { DriverPool } from './drivers.ts';
import { type Language, lackingPrograms, runAll } from './languages.ts';
import { differences, playAll, type Traces } from './playing.ts';
import { type Report, type Say, secondsSoFar } from './reports.ts';
import { World } from './world.ts';

/** A client that is tested. */
export interface Tested {
  readonly language: Language;
  readonly drivers: DriverPool;
  readonly report: Report;
  readonly failures: string[];
  /** Whether it was built and played its scenarios. */
  isPlayed: boolean;
}

/** Builds a client and runs its own tests. */
async function build(language: Language, say: Say): Promise<void> {
  await runAll(language, language.build);
  if (isWhole) {
    const tests = isLong ? [...language.test, ...language.long] : language.test;
    for (const line of await runAll(language, tests)) say(line);
  }
  say(`built and tested by its own tests, ${secondsSoFar()} s`);
}

/**
 * Tests one client in a world of its own: a service with the rotated keys of many clients publishes more lists than a
 * client examines. Returns the failures.
 *
 * @param reference the traces of the reference; null for the reference itself
 * @param onPlayed takes the traces of the scenarios
 */
async function test(
  { language, drivers, report: { say } }: Tested,
  reference: Promise<Traces> | null,
  onPlayed: (traces: Traces) => void,
): Promise<readonly string[]> {
  const scenarios = chosenScenarios();
  if (isBuilding) await build(language, say);
  if (scenarios.length === 0) return [];
  const world = await World.start();
  try {
    const { failures, traces } = await playAll(world, () => drivers, scenarios, say);
    onPlayed(traces);
    return reference === null ? failures : [...failures, ...differences(traces, await reference)];
  } finally {
    await world.stop();
  }
}

/** Tests each client by itself. Returns the traces of the reference; none if it could not play. */
export async function testEach(clients: readonly Tested[]): Promise<Traces> {
  const [reference] = clients;
  const awaited = Promise.withResolvers<Traces>();
  await inLanes(clients, async (client) => {
    const isReference = client === reference;
    const { report, failures } = client;
    try {
      const lacking = lackingPrograms(client.language);
      if (lacking.length > 0) report.say(`left out, this machine has no ${lacking.join(', ')}`);
      else {
        const played = (traces: Traces) => isReference && awaited.resolve(traces);
        failures.push(...(await test(client, isReference ? null : awaited.promise, played)));
        client.isPlayed = true;
      }
    } catch (error) {
      failures.push((error as Error).message);
    } finally {
      // Nobody waits for a reference that did not come so far.
      if (isReference) awaited.resolve(new Map());
      for (const failure of failures) report.say(`✖ ${failure}`);
      report.end();
    }
  });
  return awaited.promise;
}
