/** `npm run bench`: options.ts describes the measurements, README.md explains the output. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './child.ts';
import { type Comparison, compare, type Driver, WARM_UP_SECONDS, withSideLoads } from './comparison.ts';
import { Customers } from './customers.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { writePool } from './pool.ts';
import { certificateIn, runProgram } from './program.ts';
import { progressOf } from './progress.ts';
import { acrossStarts, hasSucceeded, headline, runConditions, table } from './report.ts';
import { latchkeySubject, secondControl } from './subject.ts';
import { Tabs } from './tabs.ts';
import { controlYardstick, latchkeyYardstick } from './yardstick.ts';
import { countCollections } from './young-collections.ts';

/**
 * Measures the requested endpoints and prints the figures of each as soon as they are complete. `running` stops all
 * processes.
 */
async function measure(
  options: Options,
  directory: string,
  running: AsyncDisposableStack,
): Promise<readonly Comparison[]> {
  const { subject: kind, engine, nodes, licenses, filled, machinesPerLicense, destinations, beside } = options;
  const customers = options.customers === null ? null : await Customers.start(options.customers, running);
  const tabs = options.tabs === null ? null : new Tabs(options.tabs, running);
  const tls = options.tls ? await certificateIn(directory) : null;
  const driver: Driver = running.adopt(new Child('./driver.ts'), (child) => child.stop());
  const plan = {
    ...{ name: 'latchkey', engine, nodes, contents: { licenses }, filled, machinesPerLicense, destinations },
    ...{ customers, tabs },
    ...{ dataDirectory: directory, certificate: tls?.certificate ?? null },
  };
  const subject = kind === 'control' ? await secondControl(tls, running) : await latchkeySubject(plan, running);
  const yardstick =
    beside === null ? await controlYardstick(tls, running) : await latchkeyYardstick(beside, plan, running);

  const comparisons: Comparison[] = [];
  for (const endpoint of options.endpoints) {
    const pool = await writePool(join(directory, `${endpoint}.pool`), subject.requestsTo(endpoint));
    const own = yardstick.requestsTo(endpoint);
    const yardstickPool = own === null ? pool : await writePool(join(directory, `${endpoint}.beside.pool`), own);
    await driver.ask({ kind: 'load', pools: { [yardstick.name]: yardstickPool, [subject.name]: pool } }, 'loaded');
    const answer = await subject.exampleAnswer(endpoint, driver);
    const extent = { ...options, warmUpSeconds: WARM_UP_SECONDS };
    const compared = await compare(
      ...([driver, endpoint, await yardstick.server(answer), subject.server(answer), extent] as const),
      progressOf(`measuring ${endpoint}`),
    );
    const comparison = withSideLoads(compared, { customers: customers?.take() ?? null, tabs: tabs?.take() ?? null });
    process.stdout.write(`${table(comparison)}\n\n`);
    comparisons.push(comparison);
  }
  return comparisons;
}

await runProgram({
  usage: USAGE,
  readOptions,
  async run(options, directory, running) {
    const machine = runConditions();
    process.stdout.write(`${headline(options, machine)}\n\n`);
    countCollections(directory);
    const comparisons: Comparison[] = [];
    for (let start = 1; start <= options.starts; start += 1) {
      const ofStart = join(directory, String(start));
      await mkdir(ofStart, { mode: 0o700 });
      const started = running.use(new AsyncDisposableStack());
      comparisons.push(...(await measure(options, ofStart, started)));
      await started.disposeAsync();
    }
    if (options.starts > 1) process.stdout.write(acrossStarts(comparisons));
    return hasSucceeded(options, machine, comparisons);
  },
});
