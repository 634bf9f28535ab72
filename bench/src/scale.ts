/**
 * `npm run scale`: measures how the cost grows with the database. It compares like the benchmark, with a small database
 * in place of the control. scale-options.ts describes the measurements, README.md explains the output.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './child.ts';
import { type Comparison, compare, type Driver, type Extent, type Server, WARM_UP_SECONDS } from './comparison.ts';
import { type RequestSource, writePool } from './pool.ts';
import { certificateIn, runProgram } from './program.ts';
import { progressOf } from './progress.ts';
import { type Read, readsOn } from './reads.ts';
import { hasSucceeded, runConditions } from './report.ts';
import { requestsOf, requestsTo } from './requests.ts';
import { type Part, readScaleOptions, SCALE_USAGE, type ScaleOptions } from './scale-options.ts';
import { amountText, GROWTH_HEADER, growthRow, scaleHeadline } from './scale-report.ts';
import { screenReadsOn } from './screens.ts';
import { LARGE_AMOUNTS, licenseOf, SPECIAL_KINDS, USUAL_AMOUNTS } from './special-licenses.ts';
import { type SeededLatchkey, seededLatchkey } from './subject.ts';
import { supportReadsOn } from './support-reads.ts';

/** Reads by people, one at a time. There are many of them, so each is measured for a shorter time. */
const READS: readonly Part[] = ['reads', 'support', 'screens'];
const READ_EXTENT = { connections: 1, windowSeconds: 0.3, warmUpSeconds: 0.5 };

/** Two servers, or one in two roles, with the requests for each. */
interface Pair {
  readonly title: string;
  readonly small: { readonly server: Server; readonly source: RequestSource };
  readonly large: { readonly server: Server; readonly source: RequestSource };
}

/** Both databases. */
interface Subjects {
  readonly small: SeededLatchkey;
  readonly large: SeededLatchkey;
}

/** Fills both databases and starts a server on each; `running` stops them. */
async function start(options: ScaleOptions, directory: string, running: AsyncDisposableStack): Promise<Subjects> {
  const { engine, sizes, tls, parts } = options;
  const withShop = parts.some((part) => READS.includes(part));
  const wantsSpecials = parts.includes('reads') || parts.includes('specials');
  const started = async (name: keyof Subjects, specials: readonly (typeof USUAL_AMOUNTS)[]) => {
    const dataDirectory = join(directory, name);
    await mkdir(dataDirectory, { mode: 0o700 });
    const contents = { licenses: sizes[name], specials: wantsSpecials ? specials : [], withShop, withHistory: true };
    const certificate = tls ? (await certificateIn(dataDirectory)).certificate : null;
    return seededLatchkey({ name, engine, nodes: 1, contents, dataDirectory, certificate }, running);
  };
  return {
    small: await started('small', [USUAL_AMOUNTS]),
    large: await started('large', [USUAL_AMOUNTS, LARGE_AMOUNTS]),
  };
}

/** The client endpoints, on the small and on the large database. */
function* endpointPairs({ small, large }: Subjects, { endpoints }: ScaleOptions): Generator<Pair> {
  for (const endpoint of endpoints) {
    yield {
      title: endpoint,
      small: { server: small.server, source: requestsTo(endpoint, small.seeded) },
      large: { server: large.server, source: requestsTo(endpoint, large.seeded) },
    };
  }
}

/** Licenses of usual and of large size, both in the large database. */
function* specialPairs({ large: { server, seeded } }: Subjects): Generator<Pair> {
  const [usual = [], large = []] = seeded.specials;
  for (const kind of SPECIAL_KINDS) {
    for (const endpoint of ['verify', 'validate', 'heartbeat'] as const) {
      yield {
        title: `${endpoint}, ${amountText(kind)}`,
        small: { server: { ...server, name: 'usual' }, source: requestsOf(licenseOf(kind, usual), endpoint, seeded) },
        large: { server: { ...server, name: 'large' }, source: requestsOf(licenseOf(kind, large), endpoint, seeded) },
      };
    }
  }
}

/** Reads, on the small and on the large database. */
function readPairs(readsOf: (subject: SeededLatchkey) => readonly Read[] | Promise<readonly Read[]>) {
  return async function* ({ small, large }: Subjects): AsyncGenerator<Pair> {
    const onLarge = new Map((await readsOf(large)).map(({ title, source }) => [title, source]));
    for (const { title, source } of await readsOf(small)) {
      const largeSource = onLarge.get(title);
      if (largeSource === undefined) throw new Error(`${title} is asked of the small database only`);
      yield {
        title,
        small: { server: small.server, source },
        large: { server: large.server, source: largeSource },
      };
    }
  };
}

const PAIRS = {
  endpoints: endpointPairs,
  specials: specialPairs,
  reads: readPairs(readsOn),
  support: readPairs(supportReadsOn),
  screens: readPairs(screenReadsOn),
};

async function measurePair(
  { title, small, large }: Pair,
  driver: Driver,
  extent: Extent,
  directory: string,
): Promise<Comparison> {
  const [smallFile, largeFile] = [join(directory, 'small.pool'), join(directory, 'large.pool')] as const;
  const pools = {
    [small.server.name]: await writePool(smallFile, small.source),
    [large.server.name]: await writePool(largeFile, large.source),
  };
  await driver.ask({ kind: 'load', pools }, 'loaded');
  for (const file of [smallFile, largeFile]) await rm(file);
  return compare(driver, title, small.server, large.server, extent, progressOf(`measuring ${title}`));
}

await runProgram({
  usage: SCALE_USAGE,
  readOptions: readScaleOptions,
  async run(options, directory, running) {
    const machine = runConditions();
    process.stdout.write(`${scaleHeadline(options, machine)}\n`);
    const driver: Driver = running.adopt(new Child('./driver.ts'), (child) => child.stop());
    const subjects = await start(options, directory, running);
    const comparisons: Comparison[] = [];
    let failures = 0;
    for (const part of options.parts) {
      const extent: Extent = {
        ...options,
        warmUpSeconds: WARM_UP_SECONDS,
        ...(READS.includes(part) ? READ_EXTENT : {}),
      };
      process.stdout.write(`\n${part}, ${extent.connections} connections\n${GROWTH_HEADER}\n`);
      for await (const pair of PAIRS[part](subjects, options)) {
        try {
          const comparison = await measurePair(pair, driver, extent, directory);
          process.stdout.write(`${growthRow(part, comparison)}\n`);
          comparisons.push(comparison);
        } catch (error) {
          // Filling the databases took long, so the other figures are still worth measuring.
          process.stdout.write(`  ${pair.title}: not measured, ${(error as Error).message}\n`);
          failures += 1;
        }
      }
    }
    return (await hasSucceeded(options, machine, comparisons)) && failures === 0;
  },
});
