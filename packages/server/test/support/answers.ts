/** Assertions about replies, and the license as an operator sees it. */
import assert from 'node:assert/strict';
import type { Answer, TestApp } from './app.ts';
import { mustSucceed } from './creator.ts';

/** Fails unless a reply is this refusal, with exactly its body. */
export function assertRefused(answer: Answer, status: number, error: string, flag = 'success'): void {
  assert.deepEqual({ status: answer.status, body: answer.body }, { status, body: { [flag]: false, error } });
}

/** The body of /getLicense: license, activations and violations as they are stored now. */
export function inspect(app: TestApp, licenseKey: string): Promise<Answer['body']> {
  return mustSucceed(app.admin('/getLicense', { licenseKey }));
}

/** Changes a license as an operator would, which must succeed. */
export async function update(app: TestApp, licenseKey: string, changes: Readonly<Record<string, unknown>>) {
  await mustSucceed(app.admin('/updateLicense', { licenseKey, ...changes }));
}

/** Revokes a license without a reason. */
export async function revoke(app: TestApp, licenseKey: string) {
  await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
}
