/** Calls of apps on licenses with named users. */
import assert from 'node:assert/strict';
import type { Answer, TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A license for named users, and any number of machines unless `terms` say otherwise. */
export function licenseForUsers(app: TestApp, maxUsers: number, terms: Fields = {}): Promise<string> {
  return app.license({ maxMachines: -1, maxUsers, ...terms });
}

/** /activate of a machine by a user; without one if undefined. */
export function activateBy(
  app: Pick<TestApp, 'send'>,
  licenseKey: string,
  user: string | undefined,
  machineFingerprint: string,
  productId = 'app',
): Promise<Answer> {
  const named = user === undefined ? {} : { user };
  const hostname = `host of ${machineFingerprint}`;
  return app.send('/activate', { licenseKey, machineFingerprint, hostname, productId, ...named });
}

/** Activates, which must succeed; answers the token. */
export async function activatedBy(...call: Parameters<typeof activateBy>): Promise<string> {
  const { token } = await mustSucceed(activateBy(...call));
  return token;
}

/** /deactivate of a machine, which must succeed. */
export async function deactivated(app: TestApp, licenseKey: string, machineFingerprint: string, token: string) {
  await mustSucceed(app.send('/deactivate', { licenseKey, machineFingerprint, token }));
}

/** The users of a license and the numbers of their machines. */
export async function usersOf(app: TestApp, licenseKey: string): Promise<Readonly<Record<string, number>>> {
  const { users } = await mustSucceed(app.admin('/listUsers', { licenseKey }));
  return Object.fromEntries(users.map(({ user, machines }: Fields) => [user, machines]));
}

/** Fails unless an answer is this refusal. */
export function assertCode(answer: Answer, status: number, code: string, error?: string): void {
  assert.deepEqual([answer.status, answer.headers['latchkey-code']], [status, code], JSON.stringify(answer.body));
  if (error !== undefined) assert.equal(answer.body.error, error);
}
