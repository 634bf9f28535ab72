/** The rules of self-service on a database of their own, called as the pages at /my call them, without sockets. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { dispatchedByPath, identify, mailKinds } from '../../src/app.ts';
import { writeMails } from '../../src/customers/mail/mail-store.ts';
import { codeOfRequest } from '../../src/customers/self-service/code.ts';
import type { SelfServiceSettings } from '../../src/customers/self-service/settings.ts';
import type { CustomerCallName, CustomerReply } from '../../src/customers/self-service/shapes.ts';
import { findSignIn } from '../../src/customers/self-service/sign-in-store.ts';
import { DAY_MS } from '../../src/ground/base/clock.ts';
import { mintSecret } from '../../src/ground/base/random.ts';
import { SigningKeys } from '../../src/licensing/license-files/signing-keys.ts';
import { ObservedWriter } from '../../src/licensing/observed-calls/write-observed.ts';
import { TokenKeys } from '../../src/licensing/session-tokens/token-keys.ts';
import { believingEvery } from '../../src/platform/believed-time/believed-time.ts';
import { fieldReader } from '../../src/platform/endpoint/fields.ts';
import type { Outcome } from '../../src/platform/endpoint/outcome.ts';
import type { Settings } from '../../src/platform/endpoint/rule-context.ts';
import type { Dispatcher } from '../../src/runtime/dispatch/call.ts';
import { createLocalDispatcher } from '../../src/runtime/dispatch/local-dispatcher.ts';
import type { AnyStatement, Sql, Storage, Tx } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { TestClock } from './app.ts';
import { ruleContextOf, SETTINGS } from './contexts.ts';
import { type Engine, freshDatabase } from './databases.ts';
import type { TestDatabase } from './test-database.ts';

/** The settings of self-service in tests. */
export const SELF_SERVICE: SelfServiceSettings = {
  mode: 'on',
  maxReleases: 20,
  makesFiles: true,
  publicUrl: 'https://licenses.example.com',
  codeKey: new Uint8Array(32).fill(7),
  maxOpenRequests: 100_000,
};

/** The answer to a call: its fields, or `refused` with the code of the refusal and its further fields. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer
export type Answered = any;

/** One node. */
export interface RulesNode {
  /** A call of the pages. `address` is the network address of the browser. */
  my<Name extends CustomerCallName>(name: Name, fields: object, address?: string): Promise<Answered>;
  /** A call with the admin secret; it must succeed. */
  admin(path: string, fields?: object): Promise<Answered>;
  /** A call with a credential of any kind. */
  call(path: string, fields: object, credential?: object, address?: string): Promise<Answered>;
  readonly storage: Storage;
  /** Writes the refusals that wait in memory. */
  writeRefusals(): Promise<void>;
  /** The names of the statements that ran since the last look. */
  statements(): readonly string[];
  close(): Promise<void>;
}

/** The rules on one database. */
export interface Rules extends RulesNode {
  readonly clock: TestClock;
  /** Sends the e-mails that wait; returns their texts. `perHour` limits them. */
  sendMails(perHour?: number): Promise<readonly string[]>;
  /** The code of a browser's request, also if no e-mail with it is sent. */
  codeFor(browser: string): Promise<string>;
  /** Signs in by a code; returns the session. */
  signIn(email: string, shop?: string): Promise<string>;
  /** Another node on the same database; on SQLite, which has one process, the same one. */
  secondNode(): Promise<RulesNode>;
}

/** The hash of a cookie or link, as the pages pass it. */
export function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}

/** The hash of a new cookie. */
export function newCookie(): string {
  return hashOf(mintSecret(32));
}

/** A network that no other test uses: limits are counted by network. */
let networks = 0;
export function ownNetwork(): string {
  networks += 1;
  return `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`;
}

/** Opens the rules on a fresh database of an engine. */
export async function openRules(engine: Engine, settings: Partial<SelfServiceSettings> = {}): Promise<Rules> {
  const fresh = await freshDatabase(engine);
  const clock = new TestClock();
  const first = await openNode(fresh, clock, settings);
  const others: RulesNode[] = [];
  const codeFor = async (browser: string) => {
    const signIn = await first.storage.read((sql) => findSignIn(sql, browser));
    assert.ok(signIn !== undefined, 'the browser asked for a code');
    return codeOfRequest(SELF_SERVICE.codeKey, signIn.requestId);
  };
  return {
    ...first,
    clock,
    codeFor,
    async sendMails(perHour) {
      const limits = { perHour: perHour ?? null, fromAddress: 'licenses@shop.example' };
      const time = { steadyNow: clock.now, believableNow: clock.now };
      const mails = writeMails(first.storage, clock.now, time, mailKinds, settingsOf(settings), limits);
      const sent = (await mails.beginMails(1_000, [])) ?? assert.fail('another node sends');
      await mails.endMails(
        sent.mails.map(({ mailId, kind, attempt }) => ({
          ...{ mailId, kind, attempt },
          ...({ outcome: 'sent', error: null, answer: null } as const),
        })),
      );
      await mails.giveBackMails();
      return sent.mails.map(({ mail: { subject, text } }) => `${subject}\n${text}`);
    },
    async signIn(email, shop) {
      const [browser, newSession, address] = [newCookie(), newCookie(), ownNetwork()];
      const fields = { email, language: 'en', browser, ...(shop === undefined ? {} : { shop }) };
      assert.deepEqual(await first.my('askForCode', fields, address), {});
      const entered = await first.my('enterCode', { browser, code: await codeFor(browser), newSession }, address);
      assert.equal(entered.refused, undefined, JSON.stringify(entered));
      return newSession;
    },
    async secondNode() {
      if (engine === 'sqlite') return first;
      const node = await openNode(fresh, clock, settings);
      others.push(node);
      return node;
    },
    async close() {
      for (const node of [first, ...others]) await node.close();
      await fresh.remove();
    },
  };
}

async function openNode(
  { database }: TestDatabase,
  clock: TestClock,
  settings: Partial<SelfServiceSettings>,
): Promise<RulesNode> {
  const statements: string[] = [];
  const storage = noting(await openStorage(database), statements);
  const tokenKeys = new TokenKeys(30 * DAY_MS);
  const signingKeys = new SigningKeys();
  await tokenKeys.open(storage, clock.now);
  await signingKeys.open(storage, clock.now);
  const ruleContext = {
    ...ruleContextOf(tokenKeys),
    signingKeys,
    settings: settingsOf(settings),
    believedTime: believingEvery(clock.now),
  };
  const context = { endpoints: dispatchedByPath, identify, ruleContext };
  const dispatcher: Dispatcher = createLocalDispatcher(storage, context, { batchesAtOnce: 1 });
  const call: RulesNode['call'] = (path, fields, credential = { kind: 'none' }, address = '192.0.2.1') => {
    const endpoint = dispatchedByPath.get(path);
    assert.ok(endpoint !== undefined, path);
    const read = fieldReader(endpoint.fields, endpoint.missing)(fields as Record<string, unknown>, 'body');
    const requestContext = { requestId: 'test', now: clock.now(), country: null, address };
    return new Promise((resolve, reject) => {
      const answer = ({ body, refused, failure, retryAfterSeconds }: Outcome) => {
        if (failure !== undefined) {
          reject(new Error(failure));
          return;
        }
        const { success: _flag, error: _error, ...rest } = JSON.parse(String(body));
        const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
        resolve(refused === undefined ? rest : { refused, ...rest, ...retry });
      };
      dispatcher.dispatch({ path, credential: credential as never, read, requestContext, idempotency: null }, answer);
    });
  };
  const observed = new ObservedWriter(storage, ruleContext.observedCalls, (error) => assert.fail(String(error)));
  return {
    storage,
    call,
    writeRefusals: () => observed.writeRefusals(),
    my: <Name extends CustomerCallName>(name: Name, fields: object, address?: string) =>
      call(`/inner/${name}`, fields, undefined, address) as Promise<CustomerReply<Name> & Answered>,
    async admin(path, fields = {}) {
      const answer = await call(path, fields, { kind: 'admin' });
      assert.equal(answer.refused, undefined, `${path} ${JSON.stringify(answer)}`);
      return answer;
    },
    statements: () => statements.splice(0),
    close: () => dispatcher.close(),
  };
}

const settingsOf = (settings: Partial<SelfServiceSettings>): Settings => ({
  ...SETTINGS,
  sendsMail: true,
  selfService: { ...SELF_SERVICE, ...settings },
});

/** The storage, with the names of its statements noted. */
function noting(storage: Storage, statements: string[]): Storage {
  const noted = <Connection extends Sql>(connection: Connection): Connection =>
    new Proxy(connection, {
      get(target, property) {
        const value = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          const { name } = Object(given[0]) as Partial<AnyStatement>;
          if (typeof name === 'string') statements.push(name);
          return value.apply(target, given);
        };
      },
    });
  return {
    ...storage,
    engine: storage.engine,
    read: (work) => storage.read((sql) => work(noted(sql))),
    transaction: (work) => storage.transaction((tx) => work(noted<Tx>(tx))),
    onCommitted: (listener) => storage.onCommitted(listener),
    onAvailability: (listener) => storage.onAvailability(listener),
    close: () => storage.close(),
  };
}
