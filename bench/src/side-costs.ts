/**
 * `npm run side-costs`: prints the CPU time that open tabs of the console and customers at their pages take from a
 * service that has nothing else to do. Beside full load this time is lost to apps. It is some hundredths of a core,
 * too little for a comparison of requests per second. README.md explains the figures.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Customers, LICENSES_PER_CUSTOMER, MAX_CUSTOMERS } from './customers.ts';
import { amount, count, ENGINES, OptionsError, oneOf, option, type ValuesOf, valuesIn } from './option-values.ts';
import { type ByProcess, difference, type ProcessRoots, readCpuSeconds } from './processes.ts';
import { certificateIn, runProgram } from './program.ts';
import { progressOf } from './progress.ts';
import { median } from './statistics.ts';
import { seededLatchkey } from './subject.ts';
import { MAX_TABS, Tabs } from './tabs.ts';

/** Load before the first round: V8 compiles the code of the first calls. */
const WARM_UP_MS = 60_000;

const OPTIONS = {
  engine: option('engine', 'sqlite', oneOf(ENGINES)),
  licenses: option('licenses', '60k', count(100, 10_000_000)),
  tabs: option('tabs', '3', count(1, MAX_TABS)),
  customers: option('customers', '50', count(1, MAX_CUSTOMERS)),
  rounds: option('rounds', '7', count(1, 100)),
  seconds: option('seconds', '15', amount(1, 600)),
};

const USAGE = `Prints the CPU time that tabs of the console and customers take, as shares of a core.

npm run side-costs -- [options]

  --engine sqlite|postgres   the database (sqlite)
  --licenses N               licenses in the database, up to 10M (60k)
  --tabs N                   open tabs of the console, 1 to ${MAX_TABS}; needs a Chromium (3)
  --customers N              customers at their pages, 1 to ${MAX_CUSTOMERS} (50)
  --rounds N                 spans of rest and of load, each measured in turn, 1 to 100 (7)
  --seconds N                length of one span (15)
  --help                     this text
`;

function readOptions(args: readonly string[]): ValuesOf<typeof OPTIONS> | null {
  const options = valuesIn(args, OPTIONS);
  if (options !== null && options.licenses < options.customers * LICENSES_PER_CUSTOMER)
    throw new OptionsError(`--customers needs ${LICENSES_PER_CUSTOMER} licenses for each of them`);
  return options;
}

/** CPU seconds per second of each process during a span: shares of one core. */
async function sharesFor(processes: ProcessRoots, seconds: number): Promise<ByProcess> {
  const [before, beganMs] = [readCpuSeconds(processes), performance.now()];
  await sleep(seconds * 1000);
  const [spent, elapsed] = [difference(readCpuSeconds(processes), before), (performance.now() - beganMs) / 1000];
  return Object.fromEntries(Object.entries(spent).map(([name, cpuSeconds]) => [name, cpuSeconds / elapsed]));
}

await runProgram({
  usage: USAGE,
  readOptions,
  async run(options, dataDirectory, running) {
    const { engine, licenses, rounds, seconds } = options;
    process.stdout.write(`Latchkey, ${engine}, ${licenses.toLocaleString('en')} licenses\n`);
    const { certificate } = await certificateIn(dataDirectory);
    const customers = await Customers.start(options.customers, running);
    const tabs = new Tabs(options.tabs, running);
    const { server } = await seededLatchkey(
      { name: 'latchkey', engine, nodes: 1, contents: { licenses }, customers, tabs, dataDirectory, certificate },
      running,
    );
    const loads = [
      { name: `${options.tabs} tabs`, load: tabs, shares: [] as ByProcess[] },
      { name: `${options.customers} customers`, load: customers, shares: [] as ByProcess[] },
    ];
    const atRest: ByProcess[] = [];
    for (const { load } of loads) {
      await load.begin();
      await sleep(WARM_UP_MS);
      await load.end();
    }
    const progress = progressOf('measuring');
    for (let round = 1; round <= rounds; round += 1) {
      atRest.push(await sharesFor(server.processes, seconds));
      for (const { load, shares } of loads) {
        await load.begin();
        shares.push(await sharesFor(server.processes, seconds));
        await load.end();
      }
      progress(round, rounds);
    }
    for (const name of Object.keys(server.processes)) {
      const usual = (shares: readonly ByProcess[]) => median(shares.map((each) => each[name] ?? 0));
      const figures = [
        `${usual(atRest).toFixed(4)} of a core at rest`,
        ...loads.map((each) => `${(usual(each.shares) - usual(atRest)).toFixed(4)} more for ${each.name}`),
      ];
      process.stdout.write(`  ${name.padEnd(10)}${figures.join(', ')}\n`);
    }
    const errors = loads.flatMap(({ load }) => load.take().errors.reported);
    for (const error of errors) process.stderr.write(`${error}\n`);
    return errors.length === 0;
  },
});
