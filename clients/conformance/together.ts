/** Tests clients together: by turns in one scenario, and side by side on random walks. */
import type { Tested } from './alone.ts';
import { chosenScenarios, inLanes, seeds, steps } from './choices.ts';
import { type DriverPool, DriversByTurns } from './drivers.ts';
import { differences, playAll, type Traces } from './playing.ts';
import { type Report, secondsSoFar } from './reports.ts';
import type { Scenario } from './scenario.ts';
import { Walk } from './walk.ts';
import { World } from './world.ts';

/** The drivers of all clients by turns, under one name. */
export interface Mixed {
  readonly name: string;
  readonly pools: DriverPool[];
  readonly failures: string[];
}

/** Plays the scenarios in which clients share a machine, or follow each other, to all languages by turns. */
async function playMixed({ pools, failures }: Mixed, reference: Traces, { say }: Report): Promise<void> {
  const opens = ({ steps }: Scenario) => steps.filter((step) => 'open' in step).length;
  const scenarios = chosenScenarios().filter((scenario) => opens(scenario) > 1);
  if (scenarios.length === 0) return;
  const world = await World.start();
  try {
    const played = await playAll(world, (index) => new DriversByTurns(pools, index), scenarios, say);
    failures.push(...played.failures, ...differences(played.traces, reference));
  } catch (error) {
    failures.push((error as Error).message);
  } finally {
    await world.stop();
  }
  for (const failure of failures) say(`✖ by turns: ${failure}`);
}

/** Lets the clients walk together in a world of their own, and beside them the clients by turns. */
async function walkTogether(clients: readonly Tested[], mixed: Mixed, seed: number, { say }: Report): Promise<void> {
  const world = await World.start();
  try {
    const sides = [
      ...clients.map(({ language: { name }, drivers, failures }) => ({ name, drivers, failures })),
      { name: mixed.name, drivers: new DriversByTurns(mixed.pools, seed), failures: mixed.failures },
    ];
    const found = await new Walk(world, sides, seed).run(steps);
    const agree = sides.slice(1).filter(({ name }) => !found.has(name));
    say(`walk ${seed} of ${steps} steps: ${agree.map(({ name }) => name).join(', ')} agree, ${secondsSoFar()} s`);
    for (const { name, failures } of sides) {
      const failure = found.get(name);
      if (failure === undefined) continue;
      failures.push(failure);
      say(`✖ walk ${seed}, ${name}: ${failure}`);
    }
  } catch (error) {
    clients[0]?.failures.push((error as Error).message);
    say(`✖ walk ${seed}, the reference: ${(error as Error).message}`);
  } finally {
    await world.stop();
  }
}

/** Plays scenarios to the clients by turns, and lets all clients walk. */
export async function testTogether(
  clients: readonly Tested[],
  mixed: Mixed,
  reference: Traces,
  report: Report,
): Promise<void> {
  const walks = seeds.map((seed) => () => walkTogether(clients, mixed, seed, report));
  await inLanes([() => playMixed(mixed, reference, report), ...walks], (part) => part());
  report.end();
}
