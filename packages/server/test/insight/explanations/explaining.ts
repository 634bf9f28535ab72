/** Asks /explainLicense in tests. */
import assert from 'node:assert/strict';
import type { ObservedPath } from '../../../src/licensing/observed-calls/metrics.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import type { Machine } from '../../support/machine.ts';

type Fields = Readonly<Record<string, unknown>>;
/** A part of a reply; tests read its fields with any type. */
type Part = Answer['body'];

/** The explanation of a license, to the operator. */
export function explain(app: TestApp, fields: Fields): Promise<Part> {
  return mustSucceed(app.admin('/explainLicense', fields));
}

/** The explanation of one endpoint for a machine. */
export async function checkOf(app: TestApp, machine: Machine, path: ObservedPath, fields: Fields = {}): Promise<Part> {
  const { licenseKey, fingerprint: machineFingerprint, productId } = machine;
  return checkIn(await explain(app, { licenseKey, machineFingerprint, productId, ...fields }), path);
}

/** The part of an explanation about one endpoint. */
export function checkIn(explanation: Part, path: ObservedPath): Part {
  const check = explanation.checks.find(({ endpoint }: Part) => endpoint === path);
  assert.ok(check !== undefined, `${path} is explained`);
  return check;
}

/** The remedy with an action; fails when it is not offered. */
export function remedyOf(check: Part, action: string): Part {
  const remedy = check.remedies.find((each: Part) => each.action === action);
  assert.ok(remedy !== undefined, `${action} is among ${JSON.stringify(check.remedies)}`);
  return remedy;
}

/** The offered actions, in their order. */
export function actionsOf({ remedies }: Part): string[] {
  return remedies.map(({ action }: Part) => action);
}

/** Sends the call of a remedy, as the operator. */
export async function apply(app: TestApp, { endpoint, fields }: Part): Promise<void> {
  await mustSucceed(app.admin(endpoint, fields));
}

/** Fails unless the reply to a call matches its explanation. */
export function assertAnswered(check: Part, { status, headers, body }: Answer): void {
  assert.deepEqual(
    [check.status, check.outcome, check.error],
    [status, headers['latchkey-code'] ?? 'ok', body.error ?? null],
  );
}
