/** Prepares requests to the client endpoints that match the contents of a database. */
import { toTimestamp } from '@latchkey/server/ground/base/clock.ts';
import type { License } from '@latchkey/server/licensing/licenses/license.ts';
import type { Activation } from '@latchkey/server/licensing/machines/activation.ts';
import { claimsFor } from '@latchkey/server/licensing/session-tokens/token.ts';
import { LICENSES_PER_GROUP, TOKEN_LIFETIME_MS } from './catalogue.ts';
import type { Endpoint } from './endpoints.ts';
import { FRESH_NUMBER_MARK, type PreparedRequest, type RequestSource } from './pool.ts';
import type { Seeded } from './seed.ts';

/** Maximum number of licenses with requests, spread evenly, because the driver keeps all requests in memory. */
const LICENSES_WITH_REQUESTS = 500_000;
/** The same limit for the machines of one license. */
const MACHINES_WITH_REQUESTS = 100_000;
/** One below the limit of 15 an hour, which leaves one for a request by hand. */
export const ACTIVATIONS_PER_LICENSE = 14;

/**
 * Requests to an endpoint for the active licenses of a database.
 *
 * @param machinesPerLicense number of new machines that /activate binds to each license that has room for any number;
 *   null: half of the requests are of known machines
 */
export function requestsTo(
  endpoint: Endpoint,
  seeded: Seeded,
  machinesPerLicense: number | null = null,
): RequestSource {
  const { catalogue } = seeded;
  const isMeant = ({ licenseType }: License) =>
    endpoint !== 'activate' || machinesPerLicense === null || licenseType === 'site';
  function* requests() {
    // Takes whole groups, so that every kind of license is included.
    const groups = Math.ceil(catalogue.size / LICENSES_PER_GROUP);
    const groupsPerTaken = Math.ceil(catalogue.size / LICENSES_WITH_REQUESTS);
    for (let group = Math.ceil(catalogue.firstActive / LICENSES_PER_GROUP); group < groups; group += groupsPerTaken) {
      const first = group * LICENSES_PER_GROUP;
      const end = Math.min(catalogue.size, first + LICENSES_PER_GROUP);
      for (let number = first; number < end; number += 1) {
        const license = catalogue.license(number);
        if (isMeant(license)) yield* REQUESTS[endpoint](license, catalogue.machines(license), seeded);
      }
    }
  }
  return {
    path: `/${endpoint}`,
    usesMax: endpoint === 'activate' ? (machinesPerLicense ?? ACTIVATIONS_PER_LICENSE) : Number.POSITIVE_INFINITY,
    requests: requests(),
  };
}

/** Requests to an endpoint for one license, from many of its machines. */
export function requestsOf(license: License, endpoint: Exclude<Endpoint, 'activate'>, seeded: Seeded): RequestSource {
  const machinesPerTaken = Math.ceil(license.machinesUsed / MACHINES_WITH_REQUESTS);
  const taken = Array.from({ length: Math.floor(license.machinesUsed / machinesPerTaken) }, (_, index) =>
    seeded.catalogue.machine(license, index * machinesPerTaken),
  );
  const prepare = endpoint === 'heartbeat' ? keepAlive : REQUESTS[endpoint];
  return { path: `/${endpoint}`, usesMax: Number.POSITIVE_INFINITY, requests: prepare(license, taken, seeded) };
}

type Prepare = (license: License, machines: readonly Activation[], seeded: Seeded) => PreparedRequest[];

const REQUESTS: Readonly<Record<Endpoint, Prepare>> = {
  verify,
  validate,
  // A heartbeat has no effect for machines without a floating session.
  heartbeat: (license, machines, seeded) =>
    license.licenseType === 'floating' ? keepAlive(license, machines, seeded) : [],
  activate,
};

/** Verifies the license for its product. */
function verify(license: License): PreparedRequest[] {
  const { licenseKey, email, productId, variant, licenseType, maxMachines, maxConcurrent, createdAt, expiresAt } =
    license;
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

/** Validates every machine with its token. */
function validate(license: License, machines: readonly Activation[], seeded: Seeded): PreparedRequest[] {
  const { email, productId, variant, expiresAt } = license;
  return machines.map((machine) => {
    const { body, tokenExpiresAt } = session(machine, seeded);
    return {
      body,
      fields: {
        ...{ valid: true, email, productId, variant, status: 'active' },
        ...{ expiresAt: tokenExpiresAt, licenseExpiresAt: expiresAt },
      },
    };
  });
}

/** Sends a heartbeat of every machine. */
function keepAlive(_license: License, machines: readonly Activation[], seeded: Seeded): PreparedRequest[] {
  return machines.map((machine) => {
    const { body, tokenExpiresAt } = session(machine, seeded);
    return { body, fields: { success: true, expiresAt: tokenExpiresAt } };
  });
}

/** Activates new machines on site licenses and known machines on per-machine licenses. */
function activate(license: License, [known]: readonly Activation[]): PreparedRequest[] {
  const { licenseKey, productId, licenseType, maxMachines, variant, expiresAt } = license;
  if (licenseType === 'floating') return [];
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
  { catalogue: { filledAt }, tokenKeys }: Seeded,
): { body: PreparedRequest['body']; tokenExpiresAt: string } {
  const claims = claimsFor(activationId, licenseKey, fingerprint, filledAt, TOKEN_LIFETIME_MS);
  const token = tokenKeys.sign(claims, filledAt);
  return {
    body: { licenseKey, machineFingerprint: fingerprint, token },
    tokenExpiresAt: toTimestamp(claims.exp * 1000),
  };
}
