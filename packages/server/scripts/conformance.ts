/**
 * Checks that a server with PostgreSQL's protocol keeps the promises that the service relies on
 * (docs/contributors/other-servers.md): `npm run conformance -- --database-url postgres://...`. It creates databases
 * there and removes them. Exits with 0 if every promise is kept, with 1 if one is broken or the server cannot be tried,
 * with 2 for invalid arguments.
 */
import pg from 'pg';
import { mintUuid } from '../src/ground/base/random.ts';
import { promises } from '../test/server-promises/promises.ts';
import { type Finding, isKept, tryPromise } from '../test/server-promises/try-promise.ts';
import { LentDatabases, PREFIX_VARIABLE } from '../test/support/lent-databases.ts';
import { readCommandLine } from './command-line.ts';

const MAX_FAILURES_SHOWN = 10;

const USAGE = `Usage: npm run conformance -- --database-url postgres://user:password@host:port/name [--only PROMISE]...

Tries every promise unless told which:
${promises.map(({ name, sentence }) => `  ${name.padEnd(17)}${sentence}`).join('\n')}

The role needs the right to make databases. They are removed again; the one that the URL names is left as it is.
`;

const say = (line: string) => process.stdout.write(`${line}\n`);

interface Arguments {
  readonly url: string;
  readonly chosen: typeof promises;
}

/** The parsed arguments; null if they do not match the usage. */
function readArguments(): Arguments | null {
  const { values } = readCommandLine(USAGE, {
    'database-url': { type: 'string' },
    only: { type: 'string', multiple: true },
  });
  const { 'database-url': url = '', only = promises.map(({ name }) => name) } = values;
  const chosen = promises.filter(({ name }) => only.includes(name));
  const isUrl = URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol);
  return isUrl && chosen.length === new Set(only).size ? { url, chosen } : null;
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

const given = readArguments();
if (given === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  try {
    const { url, chosen } = given;
    say(await versionOf(url));
    const broken = await tryAll(url, chosen, stopping.signal);
    const all = chosen.length;
    say(
      broken === 0
        ? `This server keeps all ${all} promises.`
        : `This server does not keep ${broken} of ${all} promises.`,
    );
    process.exitCode = broken === 0 ? 0 : 1;
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    process.stderr.write(`This server cannot be tried: ${message || code}\n`);
    process.exitCode = 1;
  }
}
