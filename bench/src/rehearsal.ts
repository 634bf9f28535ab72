/**
 * Invented requests and responses of realistic size, for measuring the control against itself and for trying out the
 * driver.
 */
import type { Endpoint } from './endpoints.ts';
import type { PreparedRequest, RequestSource } from './pool.ts';

const REQUESTS = 10_000;
/** As long as a session token. */
const TOKEN = 'x'.repeat(220);
const MOMENT = '2026-01-31T09:30:00.000Z';

const BODIES: Readonly<Record<Endpoint, (licenseKey: string, number: number) => PreparedRequest['body']>> = {
  verify: (licenseKey) => ({ licenseKey, productId: 'product-1' }),
  validate: (licenseKey, number) => ({ licenseKey, machineFingerprint: `machine-${number}`, token: TOKEN }),
  heartbeat: (licenseKey, number) => ({ licenseKey, machineFingerprint: `machine-${number}`, token: TOKEN }),
  activate: (licenseKey, number) => ({
    licenseKey,
    machineFingerprint: `machine-${number}`,
    hostname: 'workstation',
    productId: 'product-1',
  }),
};

const STATE = { status: 'active', variant: 'indie', licenseExpiresAt: null };
const SLOTS = { machinesUsed: 1, maxMachines: 2 };
const OWNER = { email: 'customer@example.com', productId: 'product-1' };
const ANSWERS: Readonly<Record<Endpoint, object>> = {
  verify: {
    valid: true,
    ...OWNER,
    ...STATE,
    ...SLOTS,
    licenseType: 'per-machine',
    createdAt: MOMENT,
    purchasedAt: MOMENT,
  },
  validate: { valid: true, ...OWNER, ...STATE, expiresAt: MOMENT, daysRemaining: 300 },
  heartbeat: { success: true, expiresAt: MOMENT },
  activate: { success: true, ...STATE, ...SLOTS, token: TOKEN, expiresAt: MOMENT, message: 'Machine activated' },
};

/** The response of an endpoint as JSON text. */
export function rehearsedAnswer(endpoint: Endpoint): string {
  return JSON.stringify(ANSWERS[endpoint]);
}

/** Requests to an endpoint, each for another license. */
export function rehearsedRequests(endpoint: Endpoint): RequestSource {
  function* requests(): Generator<PreparedRequest> {
    for (let number = 0; number < REQUESTS; number += 1) {
      const licenseKey = `ABCDE-FGHJK-MNPQR-STUVW-${String(number).padStart(5, 'X')}`;
      yield { body: BODIES[endpoint](licenseKey, number), fields: {} };
    }
  }
  return { path: `/${endpoint}`, usesMax: Number.POSITIVE_INFINITY, requests: requests() };
}
