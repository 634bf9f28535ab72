/**
 * Tries whether a server that speaks PostgreSQL's protocol keeps what the service promises (docs/other-servers.md):
 * `npm run conformance -- --database-url postgres://...`. It makes databases of its own there and removes them. Ends with
 * 0 when every promise is kept, with 1 when one is not or the server cannot be tried, with 2 when asked for something else.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { mintUuid } from '../src/random.ts';
import { promises } from '../test/server-promises/promises.ts';
import { type Finding, isKept, tryPromise } from '../test/server-promises/try-promise.ts';
import { LentDatabases, PREFIX_VARIABLE } from '../test/support/lent-databases.ts';

const MOST_FAILURES_SHOWN = 10;

const USAGE = `Usage: npm run conformance -- --database-url postgres://user:password@host:port/name [--only PROMISE]...

Tries every promise unless told which:
${promises.map(({ name, sentence }) => `  ${name.padEnd(17)}${sentence}`).join('\n')}

The role needs the right to make databases. They are removed again; the one that the URL names is left as it is.
`;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** The arguments; null when they are not those that the usage shows. */
function readArguments(): { url: string; chosen: typeof promises } | null {
  try {
    const { values } = parseArgs({
      options: { 'database-url': { type: 'string' }, only: { type: 'string', multiple: true } },
    });
    const { 'database-url': url = '', only = promises.map(({ name }) => name) } = values;
    const chosen = promises.filter(({ name }) => only.includes(name));
    const isUrl = URL.canParse(url) && ['postgres:', 'postgresql:'].includes(new URL(url).protocol);
    return isUrl && chosen.length === new Set(only).size ? { url, chosen } : null;
  } catch {
    return null;
  }
}

/** What the server says it is. */
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
  for (const { file, test, reason } of failures.slice(0, MOST_FAILURES_SHOWN)) {
    say(`            ${file}: ${test}`);
    say(`              ${reason}`);
  }
  if (failures.length > MOST_FAILURES_SHOWN) say(`            and ${failures.length - MOST_FAILURES_SHOWN} more`);
}

/** Tries the promises; answers how many are not kept. */
async function tryAll(url: string, chosen: typeof promises, signal: AbortSignal): Promise<number> {
  const prefix = `latchkey_${mintUuid().replaceAll('-', '').slice(0, 16)}`;
  const databases = new LentDatabases(url, prefix);
  process.env.LATCHKEY_TEST_POSTGRES_URL = url;
  process.env[PREFIX_VARIABLE] = prefix;
  let broken = 0;
  try {
    // What cannot be made here cannot be made in any test: one reason instead of hundreds.
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
    say(await versionOf(given.url));
    const broken = await tryAll(given.url, given.chosen, stopping.signal);
    const all = given.chosen.length;
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
