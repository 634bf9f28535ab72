/**
 * `npm run instructions`: prints how many machine instructions the service's process runs for a call, counted by
 * Valgrind. Unlike times, they hardly depend on the machine and its other work. README.md explains the figures.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from './connection.ts';
import { CountedCalls } from './counted-calls.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { InstructionCounter } from './instruction-counter.ts';
import { count, ENGINES, oneOf, option, optional, path, someOf, type ValuesOf, valuesIn } from './option-values.ts';
import { PoolCursor, type RequestSource, readPool, writePool } from './pool.ts';
import { certificateIn, runProgram } from './program.ts';
import { median } from './statistics.ts';
import { latchkeySubject } from './subject.ts';
import { latchkeyYardstick } from './yardstick.ts';

/** Calls before the first round: V8 compiles and optimizes the code of the first ones. */
const WARM_UP_CALLS = 6_000;
const CONNECTIONS = 32;
/** On SQLite, new events enter two indexes after every 512 activations: a round contains two of these runs. */
const CALLS_OF_ROUND = '1024';

const OPTIONS = {
  engine: option('engine', 'sqlite', oneOf(ENGINES)),
  endpoints: option('endpoint', ENDPOINTS.join(','), someOf(ENDPOINTS)),
  licenses: option('licenses', '40k', count(100, 10_000_000)),
  rounds: option('rounds', '11', count(1, 100)),
  calls: option('calls', CALLS_OF_ROUND, count(CONNECTIONS, 10_000)),
  beside: optional('beside', path),
};

const USAGE = `Counts the machine instructions of a call in the process of the service. Needs Valgrind.

npm run instructions -- [options]

  --engine sqlite|postgres   the database (sqlite)
  --endpoint a,b             which of ${ENDPOINTS.join(', ')} (all)
  --licenses N               licenses in the database, up to 10M (40k)
  --rounds N                 rounds per endpoint, 1 to 100 (11)
  --calls N                  calls of a round, ${CONNECTIONS} to 10k (${CALLS_OF_ROUND})
  --beside FOLDER            count those of another checkout, installed, too
  --help                     this text
`;

/** A running version of Latchkey. */
interface Version {
  readonly name: string;
  readonly address: Address;
  readonly pid: number;
  requestsTo(endpoint: Endpoint): RequestSource;
}

/** Returns the instructions per call of each round. */
async function countCalls(
  counter: InstructionCounter,
  { address, pid, requestsTo }: Version,
  endpoint: Endpoint,
  { rounds, calls }: Pick<ValuesOf<typeof OPTIONS>, 'rounds' | 'calls'>,
  poolFile: string,
): Promise<readonly number[]> {
  const pool = await readPool(await writePool(poolFile, requestsTo(endpoint)));
  const sender = await CountedCalls.open(address, new PoolCursor(pool, true), CONNECTIONS);
  await sender.send(WARM_UP_CALLS);
  await counter.take(pid);
  const perCall: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await sender.send(calls);
    perCall.push((await counter.take(pid)) / calls);
  }
  sender.close();
  return perCall;
}

await runProgram({
  usage: USAGE,
  readOptions: (args) => valuesIn(args, OPTIONS),
  async run(options, directory, running) {
    const { engine, licenses, endpoints, beside } = options;
    const counter = await InstructionCounter.start(join(directory, 'counts'));
    const dataDirectory = join(directory, 'data');
    await mkdir(dataDirectory, { mode: 0o700 });
    const { certificate } = await certificateIn(dataDirectory);
    const plan = { filled: 0, engine, nodes: 1, contents: { licenses }, dataDirectory, certificate, name: 'latchkey' };
    const subject = await latchkeySubject(plan, running);
    const other = beside === null ? null : await latchkeyYardstick(beside, plan, running);
    const versions = [
      { ...subject, server: subject.server('') },
      ...(other === null ? [] : [{ ...other, server: await other.server('') }]),
    ].map(({ name, requestsTo, server: { addresses, processes } }): Version => {
      const [address] = addresses;
      return { name, address: address!, pid: processes[name]!, requestsTo: (endpoint) => requestsTo(endpoint)! };
    });
    process.stdout.write(`Instructions per call, median (least to most): ${engine}, ${licenses} licenses\n`);
    for (const endpoint of endpoints) {
      // Side by side: the counts do not depend on the other process.
      const counts = await Promise.all(
        versions.map((each) => countCalls(counter, each, endpoint, options, join(directory, `${each.name}.pool`))),
      );
      const figures = versions.map(({ name }, index) => {
        const rounds = counts[index]!;
        const [middle, least, most] = [median(rounds), Math.min(...rounds), Math.max(...rounds)].map(thousands);
        return `${name} ${middle}k (${least}k to ${most}k)`;
      });
      const [own, others] = counts.map(median);
      const ratio = others === undefined ? '' : `; ratio ${(others / own!).toFixed(2)}`;
      process.stdout.write(`  ${endpoint.padEnd(10)}${figures.join(', ')}${ratio}\n`);
    }
    return true;
  },
});

function thousands(instructions: number): string {
  return Math.round(instructions / 1000).toString();
}
