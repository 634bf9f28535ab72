/** The choices of the command line (run.ts). */
import { parseArgs } from 'node:util';
import { readScenarios, type Scenario } from './scenario.ts';

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

const SHORT = { seeds: [1, 2, 3, 4], steps: 100 };
const LONG = { seeds: Array.from({ length: 20 }, (_, index) => index + 1), steps: 10_000 };
const walks = values.long ? LONG : SHORT;

/** The languages beside the reference; undefined for all. */
export const only: readonly string[] | undefined = values.only;
/** Whether clients are built, and their own tests run. */
export const isBuilding = !values['only-scenarios'];
/** Whether nothing was chosen out of the tests of a language. */
export const isWhole = values.scenario === undefined && values.walk === undefined;
/** Whether the tests that take many minutes run, too. */
export const isLong: boolean = values.long;
/** The seeds of the walks; none where scenarios alone are chosen. */
export const seeds: readonly number[] = values.walk?.map(Number) ?? (isWhole && isBuilding ? walks.seeds : []);
/** The number of steps of each walk. */
export const steps = Number(values.steps ?? walks.steps);

/** The chosen scenarios; none where single walks are chosen. */
export function chosenScenarios(): readonly Scenario[] {
  if (values.walk !== undefined) return [];
  return readScenarios().filter(
    ({ name, group }) => values.scenario === undefined || `${group}: ${name}`.includes(values.scenario),
  );
}

/** Does the work for each item, as many at once as are chosen, in their order. */
export async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    const item = left.shift();
    if (item === undefined) return;
    await work(item);
    return next();
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, next));
}
