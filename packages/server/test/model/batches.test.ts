/**
 * A batch decides its calls as if each had come alone, in the same order: the same calls, in batches and one by one, on
 * two databases, lead to the same replies and the same rows.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { endpointsByPath } from '../../src/app.ts';
import { DAY_MS, MINUTE_MS, systemClock, toTimestamp } from '../../src/ground/base/clock.ts';
import { mintLicenseKey } from '../../src/licensing/licenses/license.ts';
import { insertLicenses } from '../../src/licensing/licenses/store.ts';
import { writeRepeats } from '../../src/licensing/licenses/violation-record.ts';
import { TokenKeys } from '../../src/licensing/session-tokens/token-keys.ts';
import {
  type Batch,
  CallFailure,
  type Reply,
  type RequestContext,
  type UncheckedFields,
} from '../../src/platform/endpoint/endpoint.ts';
import type { Refusal } from '../../src/platform/endpoint/refusals.ts';
import type { RuleContext } from '../../src/platform/endpoint/rule-context.ts';
import { type Sql, type Storage, statement, tableOf } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { requestContextAt, ruleContextOf } from '../support/contexts.ts';
import { type Engine, engines, freshDatabase } from '../support/databases.ts';
import { aLicense } from '../support/plain-license.ts';
import { unrecorded } from '../support/unrecorded.ts';
import { type ActivateMove, activate, order, type SessionMove, session } from './moves.ts';

const KEYS = { license_key: 'text' } as const;
const listLicenses = statement(
  'test_batches.licenses',
  (dialect) => `select l.* from ${dialect.table('$1', KEYS)} r join license l on l.license_key = r.license_key
    order by l.license_key`,
);
const listActivations = statement(
  'test_batches.activations',
  (dialect) => `select a.* from ${dialect.table('$1', KEYS)} r join activation a on a.license_key = r.license_key
    order by a.license_key, a.fingerprint`,
);
const listViolations = statement(
  'test_batches.violations',
  (dialect) => `select v.* from ${dialect.table('$1', KEYS)} r join violation v on v.license_key = r.license_key
    order by v.license_key, v.type, v.first_seen`,
);

const country = fc.constantFrom(null, null, 'AT', 'BE', 'CH', 'DE');
const calls = fc.array(fc.tuple(fc.oneof(activate, session), country), { minLength: 1, maxLength: 20 });
const waitMs = fc.oneof(
  fc.integer({ min: 1, max: 20 * MINUTE_MS }),
  fc.constantFrom(60 * MINUTE_MS, DAY_MS, 24 * DAY_MS),
);
const history = fc.array(fc.record({ waitMs, calls }), { minLength: 1, maxLength: 8 });

const FULL = { licenseType: 'per-machine' as const, maxMachines: 1 as const };
/** Five machines beyond the limit: the violation becomes more severe with the fifth. */
const MANY_MACHINES = (['a', 'b', 'c', 'd', 'e', 'f'] as const).map((machine): [ActivateMove, null] => [
  { kind: 'activate', license: 0, machine, productId: 'app', user: undefined },
  null,
]);

for (const engine of engines)
  describe(`calls decided together on ${engine}`, () => {
    let together: Node;
    let alone: Node;
    before(async () => {
      [together, alone] = await Promise.all([openNode(engine), openNode(engine)]);
    });
    after(async () => {
      await together.close();
      await alone.close();
    });

    it('are answered and leave rows as if each had come alone', async () => {
      await fc.assert(
        fc.asyncProperty(fc.tuple(order, order, order), history, async (orders, batches) => {
          const keys = orders.map(mintLicenseKey).sort();
          let now = systemClock();
          for (const node of [together, alone]) await node.issue(keys, orders, now);
          for (const batch of batches) {
            now += batch.waitMs;
            const answers = await together.decide(keys, batch.calls, now, batch.calls.length);
            assert.deepEqual(await alone.decide(keys, batch.calls, now, 1), answers);
            // Batches write delayed repeats sooner, because the repeats are at hand when the first one is written.
            for (const node of [together, alone]) await node.writeRepeats(now);
            const [one, other] = [await alone.rows(keys), await together.rows(keys)];
            assert.deepEqual(one.rows, other.rows);
            // A commit records a violation that opens and becomes more severe as one event.
            for (const [index, count] of one.eventCounts.entries()) {
              const merged = other.eventCounts[index]!;
              assert.ok(merged <= count && merged > 0 === count > 0, `${merged} events instead of ${count}`);
            }
            assert.deepEqual(await together.verify(keys, now, keys.length), await alone.verify(keys, now, 1));
          }
        }),
        { numRuns: 25, examples: [[[FULL, FULL, FULL], [{ waitMs: 1, calls: MANY_MACHINES }]]] },
      );
    });
  });

type Orders = readonly Parameters<Parameters<typeof order.map>[0]>[0][];
type Calls = readonly (readonly [ActivateMove | SessionMove, string | null])[];
type Result = Reply | Refusal;

interface MachineFields {
  readonly licenseKey: string;
  readonly machineFingerprint: string;
}

/** A call with the batch in which it is decided. */
interface BoundCall {
  readonly batch: Batch;
  readonly fields: UncheckedFields;
  readonly call: unknown;
}

interface StoredRows {
  /** Without the counts of events. */
  readonly rows: unknown;
  /** Recorded events of each license. */
  readonly eventCounts: readonly number[];
}

/** A database with everything that a node needs to decide on it. */
interface Node {
  issue(keys: readonly string[], orders: Orders, now: number): Promise<void>;
  /** Decides calls in batches of this size; returns the replies without their random parts. */
  decide(keys: readonly string[], calls: Calls, now: number, batchCalls: number): Promise<Result[]>;
  verify(keys: readonly string[], now: number, batchCalls: number): Promise<Result[]>;
  /** Writes the repeated violations counted so far. */
  writeRepeats(now: number): Promise<void>;
  /** Everything stored about these licenses, except random identifiers. */
  rows(keys: readonly string[]): Promise<StoredRows>;
  close(): Promise<void>;
}

async function openNode(engine: Engine): Promise<Node> {
  const fresh = await freshDatabase(engine);
  const storage = await openStorage(fresh.database);
  const tokenKeys = new TokenKeys();
  await tokenKeys.open(storage, systemClock);
  const ruleContext = ruleContextOf(tokenKeys);
  let tokens: { key: string; machine: string; text: string }[] = [];

  function boundCall(keys: readonly string[], [move, from]: Calls[number], now: number): BoundCall {
    const requestContext = requestContextAt(now, from);
    const licenseKey = keys[move.license] ?? 'UNKNOWN';
    if (move.kind === 'activate') {
      const { machine: machineFingerprint, productId } = move;
      return callOf(
        '/activate',
        { licenseKey, machineFingerprint, hostname: `host ${now}`, productId },
        requestContext,
      );
    }
    const held = tokens.at(-1 - (move.token % Math.min(tokens.length, 12))) ?? {
      key: licenseKey,
      machine: 'a',
      text: 'none',
    };
    const isStolen = move.misuse === 'stolen';
    return callOf(
      `/${move.kind}`,
      {
        licenseKey: isStolen ? licenseKey : held.key,
        machineFingerprint: isStolen ? move.machine : held.machine,
        token: move.misuse === 'forged' ? `${held.text}A` : held.text,
      },
      requestContext,
    );
  }

  return {
    async issue(keys, orders, now) {
      tokens = [];
      await storage.transaction(async (tx) => {
        for (const [index, { expiresAt, ...given }] of orders.entries()) {
          const expiry = expiresAt === undefined ? null : toTimestamp(now + expiresAt);
          await insertLicenses(
            unrecorded(tx),
            [aLicense({ ...given, licenseKey: keys[index]!, expiresAt: expiry })],
            now,
          );
        }
      });
    },
    async decide(keys, given, now, batchCalls) {
      // The sender of a batch's calls has the tokens issued before the batch, not those of the batch.
      const made = given.map((call) => boundCall(keys, call, now));
      const results = await inBatches(storage, made, batchCalls, ruleContext);
      return results.map((result, index) => {
        if ('refused' in result) return result;
        const text = (result.token ?? result.newToken) as string | undefined;
        const { licenseKey: key, machineFingerprint: machine } = made[index]!.fields as unknown as MachineFields;
        if (text !== undefined) tokens.push({ key, machine, text });
        return { ...result, token: 'token' in result, newToken: 'newToken' in result };
      });
    },
    verify(keys, now, batchCalls) {
      const requestContext = requestContextAt(now);
      const made = keys.map((licenseKey) => callOf('/verify', { licenseKey, productId: 'app' }, requestContext));
      return inBatches(storage, made, batchCalls, ruleContext);
    },
    writeRepeats: (now) => writeRepeats(storage, ruleContext.violationTally, now, true),
    rows: (keys) => storage.read((sql) => readRows(sql, tableOf(keys.map((key) => [key])))),
    async close() {
      await storage.close();
      await fresh.remove();
    },
  };
}

/** A call of an endpoint, bound to its rule. */
function callOf(path: `/${string}`, fields: UncheckedFields, requestContext: RequestContext): BoundCall {
  const work = endpointsByPath.get(path)?.work;
  assert.equal(work?.kind, 'batch');
  return { batch: work.batch, fields, call: work.bind(fields, requestContext) };
}

async function inBatches(
  storage: Storage,
  made: readonly BoundCall[],
  batchCalls: number,
  ruleContext: RuleContext,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < made.length; first += batchCalls) {
    const together = made.slice(first, first + batchCalls);
    const { batch } = together[0]!;
    const calls = together.map(({ call }) => call);
    const decided = await (batch.mode === 'write'
      ? storage.transaction((tx) => batch.run(tx, calls, ruleContext))
      : storage.read((sql) => batch.run(sql, calls, ruleContext)));
    for (const result of decided) {
      if (result instanceof CallFailure) throw result.error;
      results.push(result);
    }
  }
  return results;
}

async function readRows(sql: Sql, keys: string): Promise<StoredRows> {
  const licenses = await sql.all<{ last_event_id: string | null; event_count: number }>(listLicenses, keys);
  const activations = await sql.all<{ activation_id: string }>(listActivations, keys);
  const violations = await sql.all<{ violation_id: string }>(listViolations, keys);
  return {
    rows: {
      licenses: licenses.map(({ last_event_id: _id, event_count: _count, ...row }) => row),
      activations: activations.map(({ activation_id: _, ...row }) => row),
      violations: violations.map(({ violation_id: _, ...row }) => row),
    },
    eventCounts: licenses.map(({ event_count: count }) => Number(count)),
  };
}
