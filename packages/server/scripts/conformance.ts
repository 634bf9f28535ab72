/**
 * Checks that a server with PostgreSQL's protocol keeps the promises that the service relies on
 * (docs/other-servers.md): `npm run conformance -- --database-url postgres://...`. It creates databases there and
 * removes them. With `--as ENGINE` it rehearses another engine in front of a PostgreSQL. Exits with 0 if every promise
 * is kept, with 1 if one is broken or the server cannot be tried, with 2 for invalid arguments.
 */
import pg from 'pg';
import { mintUuid } from '../src/ground/base/random.ts';
import { documentedEngines, type RehearsedEngine } from '../test/server-promises/documented-refusals.ts';
import { promises } from '../test/server-promises/promises.ts';
import { RefusingProxy } from '../test/server-promises/refusing-proxy.ts';
import { type Finding, isKept, tryPromise } from '../test/server-promises/try-promise.ts';
import { LentDatabases, PREFIX_VARIABLE } from '../test/support/lent-databases.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { readCommandLine } from './command-line.ts';

const MAX_FAILURES_SHOWN = 10;

/** The share of statements in transactions that a rehearsal refuses with 40001. */
const ABORT_SHARE = 0.01;

const ENGINES = Object.keys(documentedEngines) as RehearsedEngine[];

const USAGE = `Usage: npm run conformance -- --database-url postgres://user:password@host:port/name [--only PROMISE]...
       npm run conformance -- --as ${ENGINES.join('|')} [--seed NUMBER] [--database-url ...] [--only PROMISE]...

Tries every promise unless told which:
${promises.map(({ name, sentence }) => `  ${name.padEnd(17)}${sentence}`).join('\n')}

With --as, a proxy in front of a PostgreSQL refuses what the documents of that engine name as unsupported. It is a
rehearsal: it shows what Latchkey asks for, not how the engine answers. Without --database-url it starts a PostgreSQL.

The role needs the right to make databases. They are removed again; the one that the URL names is left as it is.
`;

const say = (line: string) => process.stdout.write(`${line}\n`);

interface Arguments {
  /** Undefined for a rehearsal that starts its own PostgreSQL. */
  readonly url: string | undefined;
  readonly engine: RehearsedEngine | undefined;
  readonly seed: number;
  readonly chosen: typeof promises;
}

/** The parsed arguments; null if they do not match the usage. */
function readArguments(): Arguments | null {
  const { values } = readCommandLine(USAGE, {
    'database-url': { type: 'string' },
    as: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string', multiple: true },
  });
  const { 'database-url': url, as, only = promises.map(({ name }) => name) } = values;
  const chosen = promises.filter(({ name }) => only.includes(name));
  const engine = ENGINES.find((each) => each === as);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  const isUrl =
    url === undefined ? engine !== undefined : /^postgres(ql)?:$/.test(URL.canParse(url) ? new URL(url).protocol : '');
  const isRight = isUrl && engine === as && Number.isSafeInteger(seed) && chosen.length === new Set(only).size;
  return isRight ? { url, engine, seed, chosen } : null;
}

/** The server's own version text. */
async function versionOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return String((await client.query('select version() as version')).rows[0]?.version);
  } finally {
    await client.end();
  }
}

function report(sentence: string, finding: Finding): void {
  const { passed, failures } = finding;
  say(`${isKept(finding) ? 'kept    ' : 'NOT KEPT'}  ${sentence} (${passed} of ${passed + failures.length} tests)`);
  for (const { file, test, reason } of failures.slice(0, MAX_FAILURES_SHOWN)) {
    say(`            ${file}: ${test}`);
    say(`              ${reason}`);
  }
  if (failures.length > MAX_FAILURES_SHOWN) say(`            and ${failures.length - MAX_FAILURES_SHOWN} more`);
}

/** Tries the promises. Returns the number of broken ones. */
async function tryAll(url: string, chosen: typeof promises, signal: AbortSignal): Promise<number> {
  const prefix = `latchkey_${mintUuid().replaceAll('-', '').slice(0, 16)}`;
  const databases = new LentDatabases(url, prefix);
  process.env.LATCHKEY_TEST_POSTGRES_URL = url;
  process.env[PREFIX_VARIABLE] = prefix;
  let broken = 0;
  try {
    // If no database can be created here, no test can create one: this gives one reason instead of hundreds.
    await (await databases.fresh()).remove();
    for (const promised of chosen) {
      const finding = await tryPromise(promised, signal);
      if (signal.aborted) throw new Error('stopped before the end');
      if (!isKept(finding)) broken += 1;
      report(promised.sentence, finding);
    }
  } finally {
    await databases.removeAll();
  }
  return broken;
}

/** Calls `work` with the URL to try: that of the arguments, or of the proxy in front of it. */
async function withServer({ url, engine, seed }: Arguments, work: (url: string) => Promise<void>): Promise<void> {
  if (engine === undefined) return work(url!);
  const own = url === undefined ? await startPostgres() : undefined;
  const proxy = await RefusingProxy.to(url ?? own!.url, engine, { abortShare: ABORT_SHARE, seed });
  say(`A rehearsal by the documents of ${documentedEngines[engine].documents}, with --seed ${seed}.`);
  try {
    await work(proxy.url);
  } finally {
    for (const [refusal, times] of proxy.refused) say(`refused ${times} times: ${refusal}`);
    await proxy.stop();
    await own?.stop();
  }
}

const given = readArguments();
if (given === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  try {
    await withServer(given, async (url) => {
      say(await versionOf(url));
      const broken = await tryAll(url, given.chosen, stopping.signal);
      const all = given.chosen.length;
      say(
        broken === 0
          ? `This server keeps all ${all} promises.`
          : `This server does not keep ${broken} of ${all} promises.`,
      );
      process.exitCode = broken === 0 ? 0 : 1;
    });
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    process.stderr.write(`This server cannot be tried: ${message || code}\n`);
    process.exitCode = 1;
  }
}
