/** Assertions about replies, and the license as an operator sees it. */
import assert from 'node:assert/strict';
import { shownTerms } from '../../src/licensing/licenses/terms.ts';
import type { Answer, TestApp } from './app.ts';
import { mustSucceed } from './creator.ts';

/**
 * Fails unless a reply is this refusal. Further fields of its body are compared with the declaration of the endpoint
 * (app.ts).
 */
export function assertRefused(answer: Answer, status: number, error: string, flag = 'success'): void {
  assert.partialDeepStrictEqual(
    { status: answer.status, body: answer.body },
    { status, body: { [flag]: false, error } },
  );
}

/**
 * The body of /getLicense: license, activations and violations as they are stored now. Terms that the license does not
 * have are left out, as other endpoints do.
 */
export async function inspect(app: TestApp, licenseKey: string): Promise<Answer['body']> {
  const body = await mustSucceed(app.admin('/getLicense', { licenseKey }));
  return { ...body, license: setFields(body.license, shownTerms) };
}

/** A thing without the fields of these names that are null. */
export function setFields(thing: object, optional: object): object {
  return Object.fromEntries(Object.entries(thing).filter(([name, value]) => value !== null || !(name in optional)));
}

/** Changes a license as an operator would, which must succeed. */
export async function update(app: TestApp, licenseKey: string, changes: Readonly<Record<string, unknown>>) {
  await mustSucceed(app.admin('/updateLicense', { licenseKey, ...changes }));
}

/** Revokes a license without a reason. */
export async function revoke(app: TestApp, licenseKey: string) {
  await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
}
