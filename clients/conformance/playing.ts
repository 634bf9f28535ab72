/** Plays scenarios, and compares the answers with those of the reference. */
import { isDeepStrictEqual } from 'node:util';
import type { Drivers } from './drivers.ts';
import { Play } from './play.ts';
import { type Say, secondsSoFar } from './reports.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** The traces of scenarios that passed, by their names. */
export type Traces = ReadonlyMap<string, readonly unknown[]>;

/**
 * Plays the scenarios. Returns the failures, and the traces of those that passed.
 *
 * @param driversOf gives the drivers of a scenario by its number
 */
export async function playAll(
  world: World,
  driversOf: (index: number) => Drivers,
  scenarios: readonly Scenario[],
  say: Say,
): Promise<{ readonly failures: string[]; readonly traces: Traces }> {
  const failures: string[] = [];
  const traces = new Map<string, readonly unknown[]>();
  let left = 0;
  for (const [index, scenario] of scenarios.entries()) {
    const name = `${scenario.group}: ${scenario.name}`;
    const drivers = driversOf(index);
    if (!(await drivers.can(scenario.needs))) {
      say(`left out, needs ${scenario.needs.join(', ')}: ${name}`);
      left += 1;
      continue;
    }
    const play = new Play(world, drivers);
    try {
      await play.run(scenario.steps);
      traces.set(name, play.apps.trace);
    } catch (error) {
      failures.push(`${name}\n    ${(error as Error).message.replaceAll('\n', '\n    ')}`);
    } finally {
      await play.end();
    }
  }
  say(`${traces.size} scenarios passed, ${failures.length} failed, ${left} left out, ${secondsSoFar()} s`);
  return { failures, traces };
}

/** The scenarios with an answer that differs from the reference's: for each the first one. */
export function differences(traces: Traces, reference: Traces): readonly string[] {
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
