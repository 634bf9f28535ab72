/** Fills Latchkey's database, through its own storage, and prepares requests that fit what is in it. */
import { DAY_MS, systemClock, toTimestamp } from '@latchkey/server/clock.ts';
import type { Activation } from '@latchkey/server/licenses/activation.ts';
import { insertMachines } from '@latchkey/server/licenses/activation-store.ts';
import { insertLicense } from '@latchkey/server/licenses/store.ts';
import { claimsFor } from '@latchkey/server/licenses/token.ts';
import { TokenKeys } from '@latchkey/server/licenses/token-keys.ts';
import { type Database, migrateDatabase, openStorage } from '@latchkey/server/storage/open.ts';
import { type Storage, statement } from '@latchkey/server/storage/storage.ts';
import { Catalogue, LICENSES_PER_GROUP } from './catalogue.ts';
import type { Endpoint } from './endpoints.ts';
import { FRESH_NUMBER_MARK, type PreparedRequest, type RequestSource } from './pool.ts';

const LICENSES_PER_TRANSACTION = 1000;
/** How many transactions are under way at once: PostgreSQL answers each statement after a round trip. */
const TRANSACTIONS_AT_ONCE = 4;
/** Of more licenses than this, only so many, spread evenly, get requests: the driver keeps all requests in memory. */
const LICENSES_WITH_REQUESTS = 500_000;
/** One below the limit of 15 an hour, for whoever tries a request by hand as well. */
const ACTIVATIONS_PER_LICENSE = 14;
const TOKEN_LIFETIME_MS = 30 * DAY_MS;

/** What a bulk load leaves for later on PostgreSQL is done before anything is measured. */
const analyze = statement('bench.analyze', 'analyze');

/** Requests for a database that has been filled. */
export type Seeded = (endpoint: Endpoint) => RequestSource;

/**
 * Makes the tables, puts `size` licenses and their machines in, and closes the database again.
 *
 * @param onProgress hears how many licenses are in
 */
export async function seed(database: Database, size: number, onProgress: (done: number) => void): Promise<Seeded> {
  const filledAt = systemClock();
  await migrateDatabase(database, filledAt);
  const catalogue = new Catalogue(size, filledAt, TOKEN_LIFETIME_MS);
  const tokenKeys = new TokenKeys();
  const storage = await openStorage(database, { poolSize: TRANSACTIONS_AT_ONCE });
  try {
    await tokenKeys.open(storage, () => filledAt);
    await fill(storage, catalogue, onProgress);
  } finally {
    await storage.close();
  }
  return (endpoint) => requestsTo(endpoint, catalogue, tokenKeys);
}

async function fill(storage: Storage, catalogue: Catalogue, onProgress: (done: number) => void): Promise<void> {
  const { size, filledAt } = catalogue;
  let next = 0;
  let done = 0;
  async function fillBatches(): Promise<void> {
    while (next < size) {
      const from = next;
      const to = Math.min(size, from + LICENSES_PER_TRANSACTION);
      next = to;
      await storage.transaction(async (tx) => {
        const machines: Activation[] = [];
        for (let number = from; number < to; number += 1) {
          const license = catalogue.license(number);
          await insertLicense(tx, license, filledAt);
          machines.push(...catalogue.machines(number, license));
        }
        await insertMachines(tx, machines);
      });
      done += to - from;
      onProgress(done);
    }
  }
  await Promise.all(Array.from({ length: TRANSACTIONS_AT_ONCE }, fillBatches));
  if (storage.engine === 'postgres') await storage.transaction((tx) => tx.run(analyze));
}

function requestsTo(endpoint: Endpoint, catalogue: Catalogue, tokenKeys: TokenKeys): RequestSource {
  const requestsOf = { verify, validate, heartbeat, activate }[endpoint];
  function* requests() {
    // Whole groups, so that every kind of license is among them.
    const groups = Math.ceil(catalogue.size / LICENSES_PER_GROUP);
    const groupsPerTaken = Math.ceil(catalogue.size / LICENSES_WITH_REQUESTS);
    for (let group = 0; group < groups; group += groupsPerTaken) {
      const first = group * LICENSES_PER_GROUP;
      const end = Math.min(catalogue.size, first + LICENSES_PER_GROUP);
      for (let number = first; number < end; number += 1) yield* requestsOf(number, catalogue, tokenKeys);
    }
  }
  return {
    usesMax: endpoint === 'activate' ? ACTIVATIONS_PER_LICENSE : Number.POSITIVE_INFINITY,
    requests: requests(),
  };
}

/** Every license, for its product. */
function verify(number: number, catalogue: Catalogue): PreparedRequest[] {
  const { licenseKey, email, productId, variant, licenseType, maxMachines, maxConcurrent, createdAt, expiresAt } =
    catalogue.license(number);
  return [
    {
      body: { licenseKey, productId },
      fields: {
        ...{ valid: true, email, productId, variant, licenseType, status: 'active', createdAt },
        ...{ maxMachines: maxConcurrent ?? maxMachines, licenseExpiresAt: expiresAt },
      },
    },
  ];
}

/** Every machine, with its token. */
function validate(number: number, catalogue: Catalogue, tokenKeys: TokenKeys): PreparedRequest[] {
  const license = catalogue.license(number);
  const { email, productId, variant, expiresAt } = license;
  return catalogue.machines(number, license).map((machine) => {
    const { body, tokenExpiresAt } = session(machine, catalogue, tokenKeys);
    return {
      body,
      fields: {
        ...{ valid: true, email, productId, variant, status: 'active' },
        ...{ expiresAt: tokenExpiresAt, licenseExpiresAt: expiresAt },
      },
    };
  });
}

/** Every machine with a floating session: to the others a heartbeat does nothing. */
function heartbeat(number: number, catalogue: Catalogue, tokenKeys: TokenKeys): PreparedRequest[] {
  const license = catalogue.license(number);
  if (license.licenseType !== 'floating') return [];
  return catalogue.machines(number, license).map((machine) => {
    const { body, tokenExpiresAt } = session(machine, catalogue, tokenKeys);
    return { body, fields: { success: true, expiresAt: tokenExpiresAt } };
  });
}

/** Machines never seen on site licenses, machines known already on per-machine licenses. */
function activate(number: number, catalogue: Catalogue): PreparedRequest[] {
  const license = catalogue.license(number);
  const { licenseKey, productId, licenseType, maxMachines, variant, expiresAt } = license;
  if (licenseType === 'floating') return [];
  const [known] = catalogue.machines(number, license);
  return [
    {
      body: {
        licenseKey,
        machineFingerprint: known?.fingerprint ?? `${'5e'.repeat(12)}${FRESH_NUMBER_MARK}`,
        hostname: known?.hostname ?? 'workstation-9',
        productId,
      },
      fields: {
        ...{ success: true, status: 'active', variant, maxMachines, licenseExpiresAt: expiresAt },
        message: known === undefined ? 'License activated' : 'Machine was already activated',
      },
    },
  ];
}

function session(
  { activationId, licenseKey, fingerprint }: Activation,
  { filledAt }: Catalogue,
  tokenKeys: TokenKeys,
): { body: PreparedRequest['body']; tokenExpiresAt: string } {
  const claims = claimsFor(activationId, licenseKey, fingerprint, filledAt, TOKEN_LIFETIME_MS);
  const token = tokenKeys.sign(claims, filledAt);
  return {
    body: { licenseKey, machineFingerprint: fingerprint, token },
    tokenExpiresAt: toTimestamp(claims.exp * 1000),
  };
}
