/**
 * Asks for codes for addresses that are known, unknown and limited, in turns, as a stranger does who wants to know who
 * is a customer. Answers, times and statements must be alike.
 */
import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { dirname } from 'node:path';
import type { Random } from '../faults/ledger.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { newCookie, openRules } from '../support/customers.ts';
import { type Engine, freshDatabase } from '../support/databases.ts';
import { MailServer } from '../support/mail-server.ts';
import { startServerProcess } from '../support/server-process.ts';
import { medianOf, rankDifference } from './rank-test.ts';

export const KINDS = ['known', 'unknown', 'limited'] as const;
/** An address with a license; one without; one with a license that has asked too often. */
export type AddressKind = (typeof KINDS)[number];

/** The part of an answer that a stranger sees. */
export interface AddressReport {
  /** Medians of the times to an answer, in milliseconds. */
  readonly mediansMs: Readonly<Record<AddressKind, number>>;
  /** Differences by the rank test, in standard deviations, by pairs such as `known, unknown`. */
  readonly differences: Readonly<Record<string, number>>;
  /** Differences that a stranger could see; empty when all is well. */
  readonly errors: readonly string[];
}

const FARTHEST_MEDIANS = 0.05;
/** Two samples of one population differ by more in one case of a hundred. */
const FARTHEST_RANKS = 2.576;
/** Requests of a network for an address before the measured one: from the fourth on, none is mailed. */
const REQUESTS_BEFORE: Readonly<Record<AddressKind, number>> = { known: 1, unknown: 1, limited: 3 };
const WARM_UP = 300;
const AT_ONCE = 16;
/** Addresses whose statements are compared. */
const COMPARED = 20;

const PAGES = {
  LATCHKEY_SELF_SERVICE: 'on',
  LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
  LATCHKEY_SECRETS_KEY: 'a-secrets-key-of-the-tests',
  // The requests come from as many networks as addresses, by the header of a proxy.
  LATCHKEY_TRUST_PROXY: '127.0.0.1',
};

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * @param count addresses of each kind
 * @param program the service and its arguments; the sources by default
 */
export async function compareAddresses(
  engine: Engine,
  count: number,
  random: Random,
  program?: readonly [string, ...string[]],
): Promise<AddressReport> {
  const { database, remove } = await freshDatabase(engine);
  const mails = await MailServer.start();
  const ofFile = database.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: dirname(database.file) } : {};
  const smtp = {
    LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    LATCHKEY_MAIL_FROM: 'licenses@example.com',
    LATCHKEY_MAIL_RATE: 'off',
  };
  try {
    // Without mail first, so that none waits while times are measured.
    await onServer({ ...PAGES, ...ofFile }, async (post) => {
      await manyTimes(count, async (number) => {
        for (const kind of ['known', 'limited'] as const) await licenseFor(post, addressOf(kind, number));
      });
      await manyTimes(count, async (number) => {
        for (const kind of KINDS)
          for (let before = 0; before < 3; before++) {
            const isSame = before < REQUESTS_BEFORE[kind];
            await ask(
              post,
              isSame ? addressOf(kind, number) : `other-${before}-${kind}-${number}@example.com`,
              kind,
              number,
            );
          }
      });
    });
    const times: Record<AddressKind, number[]> = { known: [], unknown: [], limited: [] };
    const answers = new Set<string>();
    await onServer({ ...PAGES, ...ofFile, ...smtp }, async (post) => {
      for (let number = 0; number < WARM_UP; number++)
        await ask(post, `warm-${number}@example.com`, 'known', count + number);
      for (let number = 0; number < count; number++)
        for (const kind of shuffled(KINDS, random)) {
          const startedAt = performance.now();
          const answer = await ask(post, addressOf(kind, number), kind, number);
          times[kind].push(performance.now() - startedAt);
          answers.add(JSON.stringify(withoutOwn(answer)));
        }
    });
    return judge(times, answers, await statementsDiffer(engine));
  } finally {
    await mails.close();
    await remove();
  }

  async function onServer(environment: Readonly<Record<string, string>>, work: (post: Post) => Promise<void>) {
    const server = await startServerProcess(database, environment, program);
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    try {
      await work((path, body, headers) => send(agent, server.port, path, body, headers));
    } finally {
      agent.destroy();
      await server.kill();
    }
  }
}

type Post = (path: string, body: string, headers: Readonly<Record<string, string>>) => Promise<Answered>;

/** Compares the times; `answers` has each different answer once. */
function judge(
  times: Readonly<Record<AddressKind, readonly number[]>>,
  answers: ReadonlySet<string>,
  differing: readonly string[],
): AddressReport {
  const mediansMs = {
    known: medianOf(times.known),
    unknown: medianOf(times.unknown),
    limited: medianOf(times.limited),
  };
  const differences: Record<string, number> = {};
  const errors = differing.map((kind) => `an address that is ${kind} runs other statements`);
  if (answers.size > 1) errors.push(`addresses are answered in ${answers.size} ways`);
  for (const [at, one] of KINDS.entries())
    for (const other of KINDS.slice(at + 1)) {
      const pair = `${one}, ${other}`;
      const ranks = rankDifference(times[one], times[other]);
      differences[pair] = ranks;
      if (Math.abs(mediansMs[one] / mediansMs[other] - 1) > FARTHEST_MEDIANS)
        errors.push(`the medians of ${pair} differ`);
      if (Math.abs(ranks) > FARTHEST_RANKS) errors.push(`the rank test sees a difference between ${pair}`);
    }
  return { mediansMs, differences, errors };
}

/** The kinds of addresses whose requests do not run the statements of a known one. */
async function statementsDiffer(engine: Engine): Promise<readonly string[]> {
  const rules = await openRules(engine);
  try {
    const seen = new Map<AddressKind, string>();
    for (let number = 0; number < COMPARED; number++)
      for (const kind of KINDS) {
        const email = addressOf(kind, number);
        const network = networkOf(kind, number);
        const fields = () => ({ email, language: 'en', browser: newCookie() });
        if (kind !== 'unknown') await rules.admin('/createLicense', { email, productId: 'app' });
        for (let before = 0; before < REQUESTS_BEFORE[kind]; before++) await rules.my('askForCode', fields(), network);
        rules.statements();
        assert.deepEqual(await rules.my('askForCode', fields(), network), {});
        const statements = rules.statements().join('\n');
        if ((seen.get(kind) ?? statements) !== statements) return [kind];
        seen.set(kind, statements);
      }
    return KINDS.filter((kind) => seen.get(kind) !== seen.get('known'));
  } finally {
    await rules.close();
  }
}

async function licenseFor(post: Post, email: string): Promise<void> {
  const fields = { adminSecret: ADMIN_SECRET, email, productId: 'app' };
  const { status, body } = await post('/createLicense', JSON.stringify(fields), { 'content-type': 'application/json' });
  assert.equal(status, 200, body);
}

/** Asks for a code from the network that belongs to an address. */
async function ask(post: Post, email: string, kind: AddressKind, number: number): Promise<Answered> {
  const answer = await post('/my', String(new URLSearchParams({ email })), {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    'x-forwarded-for': networkOf(kind, number),
  });
  assert.equal(answer.status, 303, answer.body);
  return answer;
}

/** All of them have the same length. */
function addressOf(kind: AddressKind, number: number): string {
  return `${kind.padEnd(7, 'x')}-${String(number).padStart(6, '0')}@example.com`;
}

function networkOf(kind: AddressKind, number: number): string {
  return `${20 + KINDS.indexOf(kind)}.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

/** An answer without the parts that differ between any two. */
function withoutOwn({ status, headers, body }: Answered): object {
  const {
    date: _date,
    'x-request-id': _id,
    'latchkey-request-id': _ownId,
    'set-cookie': cookies = [],
    ...rest
  } = headers;
  return { status, body, headers: rest, cookies: cookies.map((cookie) => cookie.replace(/=[\w-]{43};/, '=;')) };
}

function shuffled<Value>(values: readonly Value[], random: Random): Value[] {
  const left = [...values];
  return values.map(() => left.splice(random(left.length), 1)[0]!);
}

/** Does something for each number below `count`, some at a time. */
async function manyTimes(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < count; number = next++) await work(number);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function send(
  agent: Agent,
  port: number,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ agent, host: '127.0.0.1', port, path, method: 'POST' },
        headers: {
          host: 'licenses.example.com',
          'x-forwarded-proto': 'https',
          'content-length': body.length,
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
