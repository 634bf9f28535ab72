/** Calls that prepare a journey and must succeed. */
import assert from 'node:assert/strict';
import type { Answer, TestApp } from '../../../server/test/support/app.ts';
import { Machine } from '../../../server/test/support/machine.ts';

/** The body of an answer. The test fails unless it has this status, 200 by default. */
export async function mustSucceed(call: Promise<Answer>, status = 200): Promise<Answer['body']> {
  const answer = await call;
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

/** A new API key of a creator. */
export async function creatorKey(app: TestApp, creatorId: string, name = `Key of ${creatorId}`): Promise<string> {
  return (await mustSucceed(app.admin('/createApiKey', { creatorId, name }))).apiKey;
}

/** A license for one machine, `desk`, on which `laptop` was refused. */
export async function crowdedLicense(app: TestApp, email: string): Promise<string> {
  const licenseKey = await app.license({ email, maxMachines: 1 });
  await mustSucceed(new Machine(app, licenseKey, 'desk').activate());
  await mustSucceed(new Machine(app, licenseKey, 'laptop').activate(), 403);
  return licenseKey;
}

/** Orders seats of a course. Returns the answer's body. */
export function orderSeats(app: TestApp, fields: Readonly<Record<string, unknown>>): Promise<Answer['body']> {
  const order = {
    buyerEmail: 'head@school.example',
    buyerUserId: 'user-7',
    courseId: 'course-mixing',
    courseSlug: 'mixing',
    courseTitle: 'Mixing for small rooms',
    creatorId: 'ada',
    seatCount: 2,
    pricePerSeat: 4900,
    totalAmount: 9800,
    currency: 'eur',
  };
  return mustSucceed(app.webhook('/createStudioOrder', { ...order, ...fields }), 201);
}
