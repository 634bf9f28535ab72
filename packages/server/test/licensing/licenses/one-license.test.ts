import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
// Declares the refusals of all slices.
import '../../../src/app.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { activate } from '../../../src/licensing/client-endpoints/activate.ts';
import { deactivate } from '../../../src/licensing/client-endpoints/deactivate.ts';
import { heartbeat } from '../../../src/licensing/client-endpoints/heartbeat.ts';
import { validate } from '../../../src/licensing/client-endpoints/validate.ts';
import { verify } from '../../../src/licensing/client-endpoints/verify.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { TokenKeys } from '../../../src/licensing/session-tokens/token-keys.ts';
import type { Endpoint, UncheckedFields } from '../../../src/platform/endpoint/endpoint.ts';
import type { RuleContext } from '../../../src/platform/endpoint/rule-context.ts';
import type { AnyStatement, Storage, Tx, Value } from '../../../src/storage/contract/storage.ts';
import { requestContextAt, ruleContextOf } from '../../support/contexts.ts';
import { engines } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { startedStorage } from '../../support/storages.ts';

/** A statement that a call sent to the database. */
interface Asked {
  readonly statement: AnyStatement;
  readonly values: readonly Value[];
}

/** The same transaction, recording every statement. */
function recording(tx: Tx, asked: Asked[]): Tx {
  const noted = <Run>(statement: AnyStatement, values: readonly Value[], runIt: () => Run): Run => {
    asked.push({ statement, values });
    return runIt();
  };
  return {
    all: (statement, ...values) => noted(statement, values, () => tx.all(statement, ...values)),
    first: (statement, ...values) => noted(statement, values, () => tx.first(statement, ...values)),
    run: (statement, ...values) => noted(statement, values, () => tx.run(statement, ...values)),
    runLast: (statement, ...values) => noted(statement, values, () => tx.runLast(statement, ...values)),
    publish: (topic, message) => tx.publish(topic, message),
    afterwards: (effect) => tx.afterwards(effect),
  };
}

/** The license keys to which a statement's rows are bound: its set parameter, or the first column of its table. */
function licensesOf({ statement, values }: Asked): string[] {
  const rows: unknown = JSON.parse(String(values[0]));
  assert.ok(Array.isArray(rows), `${statement.name} takes no table of license keys`);
  return rows.map((row) => (Array.isArray(row) ? row[0] : row));
}

async function run(storage: Storage, ruleContext: RuleContext, endpoint: Endpoint, fields: UncheckedFields) {
  const { work } = endpoint;
  assert.ok(work.kind === 'batch');
  const asked: Asked[] = [];
  const { batch } = work;
  const call = work.bind(fields, requestContextAt(systemClock(), 'DE'));
  const [result] = await (batch.mode === 'write'
    ? storage.transaction((tx) => batch.run(recording(tx, asked), [call], ruleContext))
    : storage.read((sql) => batch.run(recording(sql as Tx, asked), [call], ruleContext)));
  return { asked, result: result as Readonly<Record<string, unknown>> };
}

for (const engine of engines)
  describe(`client calls on ${engine}`, () => {
    const storage = startedStorage(engine);

    it('each touch rows of one license only', async () => {
      const tokenKeys = new TokenKeys();
      await tokenKeys.open(storage, systemClock);
      const ruleContext = ruleContextOf(tokenKeys);
      const orders = ['per-machine', 'floating', 'site'] as const;
      for (const licenseType of orders) {
        const order = { email: 'ada@example.com', productId: 'app', licenseType, maxMachines: 1, expiresAt: null };
        const { licenseKey } = await storage.transaction((tx) => issueLicense(tx, order, originAt(systemClock())));
        const key = { licenseKey };
        const machine = { ...key, machineFingerprint: 'one', hostname: 'host', productId: 'app' };
        const activated = await run(storage, ruleContext, activate, machine);
        const session = { ...key, machineFingerprint: 'one', token: activated.result.token };
        const histories = [
          activated,
          await run(storage, ruleContext, activate, { ...machine, machineFingerprint: 'refused' }),
          await run(storage, ruleContext, verify, { ...key, productId: 'app' }),
          await run(storage, ruleContext, validate, session),
          await run(storage, ruleContext, validate, { ...session, machineFingerprint: 'thief' }),
          await run(storage, ruleContext, heartbeat, session),
          await run(storage, ruleContext, deactivate, session),
        ];
        for (const { asked } of histories) {
          assert.ok(asked.length > 0);
          for (const each of asked) assert.deepEqual(new Set(licensesOf(each)), new Set([licenseKey]));
        }
      }
    });
  });
