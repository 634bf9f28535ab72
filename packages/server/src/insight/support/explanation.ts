/** Explains why each client endpoint would refuse a machine: the facts, and the same as a sentence. */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { isLimitOfUser } from '../../licensing/client-endpoints/named-users.ts';
import {
  type ClientRefusal,
  idleMachineAt,
  type LicenseSnapshot,
  predictRefusal,
} from '../../licensing/client-endpoints/predicted-refusal.ts';
import { type License, type Revocation, slotLimit, slotsUsed } from '../../licensing/licenses/license.ts';
import { type Build, namedBuild } from '../../licensing/licenses/updates.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import { ATTEMPTS_PER_HOUR, nextAttemptAt } from '../../licensing/machines/activation-rate.ts';
import { CLIENT_PATHS, type ObservedPath } from '../../licensing/observed-calls/metrics.ts';
import { countsSessions } from '../../licensing/products/license-type.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { statusOf, textOf } from '../../platform/endpoint/refusals.ts';
import { type becauseSchema, type checkSchema, outcomeOf } from './explanation-views.ts';
import { type Known, remediesFor } from './remedies.ts';
import { ago, inWords, quoted, spoken } from './sentences.ts';

/** Maximum number of slot holders listed, and of those named in a sentence. */
const HOLDERS_NAMED = 10;
const HOLDERS_IN_SENTENCE = 3;
/** Length of the fingerprint prefix that distinguishes machines of the same name. */
const FINGERPRINT_SHOWN = 8;
/** Maximum number of unlocked products that a sentence names. */
const PRODUCTS_IN_SENTENCE = 5;

/** The status of a successful call. */
const OK_STATUS = 200;

interface Explained {
  readonly because: ReplyOf<typeof becauseSchema>;
  readonly sentence: string;
}

/**
 * The reply that each client endpoint would give the machine, with its reasons and remedies; that of /consume if the
 * license has meters, or a meter is asked for.
 */
export function checksOf(snapshot: LicenseSnapshot, known: Known): ReplyOf<typeof checkSchema>[] {
  const paths: readonly ObservedPath[] = known.given.meter === undefined ? CLIENT_PATHS : [...CLIENT_PATHS, '/consume'];
  return paths.map((endpoint) => {
    const refusal = predictRefusal(endpoint, snapshot, known.given);
    const outcome = outcomeOf(refusal);
    if (refusal === null) {
      const sentence = acceptance(endpoint, snapshot, known);
      return { endpoint, outcome, status: OK_STATUS, error: null, because: null, sentence, remedies: [] };
    }
    const { because, sentence } = explain(endpoint, refusal, snapshot, known);
    return {
      endpoint,
      outcome,
      status: statusOf(refusal.refused),
      error: textOf(refusal),
      because,
      sentence,
      remedies: remediesFor(endpoint, refusal, snapshot, known),
    };
  });
}

function acceptance(path: ObservedPath, snapshot: LicenseSnapshot, { given }: Known): string {
  const { license, machine, now } = snapshot;
  const begins = license.terms.waiting === null ? '' : ' Its time begins with the first activation.';
  switch (path) {
    case '/verify':
      return `The license is good for this product.${begins}`;
    case '/activate':
      if (machine !== undefined)
        return 'The machine is activated already; activating it again gives it a new session token.';
      return `${roomMadeBy(idleMachineAt(snapshot), now)}${begins && ' The time of the license begins with it.'}`;
    case '/validate':
    case '/heartbeat':
      return 'The machine is activated, and its latest session token is good.';
    case '/deactivate':
      return 'The machine is activated, and can be deactivated.';
    case '/consume':
      return `A use of ${quoted(given.meter ?? '')} by ${counted(given.units ?? 1, 'unit')} is counted.`;
  }
}

function roomMadeBy(idle: Activation | undefined, now: number): string {
  if (idle === undefined) return 'A slot is free for the machine.';
  const { hostname, lastSeen } = idle;
  return (
    `Every slot is taken, but ${quoted(hostname)}, last seen ${ago(now - fromTimestamp(lastSeen))}, has been idle ` +
    'longer than the license allows: it makes room for the machine.'
  );
}

function explain(path: ObservedPath, refusal: ClientRefusal, snapshot: LicenseSnapshot, known: Known): Explained {
  const { license, machine, now } = snapshot;
  const archived = known.isArchived ? ' Its product is archived, so the license cannot be changed as it is.' : '';
  switch (refusal.refused) {
    case 'license_replaced':
      return {
        because: { revocation: 'replaced' },
        sentence: 'Another key took the place of this one. The customer has to enter the new key.',
      };
    case 'license_revoked': {
      const revocation = license.revocation as Revocation;
      const because = { revocation, disputeReason: license.disputeReason };
      return { because, sentence: `The license was revoked${REVOKED_BY[revocation]}.` };
    }
    case 'license_expired': {
      const expiresAt = license.expiresAt as string;
      return { because: { expiresAt }, sentence: `The license expired on ${spoken(expiresAt)}.${archived}` };
    }
    case 'update_not_covered': {
      const { updatesUntil, terms } = license;
      const { maxVersion } = terms;
      const until = updatesUntil === null ? [] : [`builds made until ${spoken(updatesUntil)}`];
      const versions = maxVersion === null ? [] : [`versions up to ${maxVersion}`];
      return {
        because: { updatesUntil, maxVersion, ...namedBuild(known.given) },
        sentence: `The license covers ${inWords([...until, ...versions])}. ${buildInWords(known.given)} is newer; older builds run on.`,
      };
    }
    case 'feature_missing': {
      const missing = (refusal.extra as { readonly missing: readonly string[] }).missing;
      return { because: { missing }, sentence: `The license does not include ${inWords(missing.map(quoted))}.` };
    }
    case 'meter_not_found': {
      const meter = known.given.meter ?? '';
      return {
        because: { meter },
        sentence: `The variant ${quoted(license.variant)} has no meter ${quoted(meter)}.`,
      };
    }
    case 'meter_limit':
      return beyondLimit(refusal, known);
    case 'wrong_product':
      return wrongProduct(license, known.given.productId);
    case 'activation_rate': {
      const retryAfterSeconds = refusal.retryAfterSeconds as number;
      const hasUsers = license.terms.maxUsers !== null;
      const until = toTimestamp(hasUsers ? now + retryAfterSeconds * 1000 : nextAttemptAt(license.attempts, now));
      const limit = ATTEMPTS_PER_HOUR;
      return {
        because: { limit, attempts: hasUsers ? limit : license.attempts.length, until, retryAfterSeconds },
        sentence:
          `Activation was tried ${limit} times within the last hour, which is the limit. The next attempt is let ` +
          `through from ${spoken(until)} on. Each attempt before then counts as well and puts that off.`,
      };
    }
    case 'user_required':
      return {
        because: {},
        sentence:
          'The license has named users, and the call names none. The app has to send the person who uses it as `user`.',
      };
    case 'user_limit': {
      const limit = refusal.details?.limit as number;
      const users = known.seatHolders.slice(0, HOLDERS_NAMED);
      const named = users
        .slice(0, HOLDERS_IN_SENTENCE)
        .map(({ user, lastSeen }) => `${quoted(user)} (last seen ${ago(now - fromTimestamp(lastSeen))})`);
      const used = known.seats;
      const more = used > named.length ? [`${used - named.length} more`] : [];
      return {
        because: {
          limit,
          used,
          users: users.map(({ user, machines, lastSeen }) => ({ user, machines, lastSeen })),
          ...userOfCall(known, machine),
        },
        sentence: `The license is for ${counted(limit, 'user')}, and every seat is held: by ${inWords([...named, ...more])}.${archived}`,
      };
    }
    case 'machine_limit': {
      if (isLimitOfUser(refusal)) return machinesOfUser(refusal.details?.limit as number, known, machine, now);
      const { because, sentence } = slots(snapshot, known);
      return { because, sentence: `${sentence}${archived}` };
    }
    case 'machine_not_activated':
    case 'machine_not_found': {
      if (machine === undefined) return { because: {}, sentence: notActivated(path, snapshot, known) };
      const { because, sentence } = slots(snapshot, known);
      return {
        because: { sessionActive: false, ...because },
        sentence: `The floating session of the machine is over. ${sentence}${archived}`,
      };
    }
    case 'invalid_token':
    case 'invalid_heartbeat_token':
    case 'token_mismatch': {
      const tokenExpiry = (machine as Activation).tokenExpiry;
      return {
        because: { tokenExpiry },
        sentence: `The latest session token of the machine expired on ${spoken(tokenExpiry)}. The app has to activate again.`,
      };
    }
  }
}

function beyondLimit({ extra }: ClientRefusal, { given: { meter = '', units = 1 } }: Known): Explained {
  const { used, limit, resetsAt } = extra as { used: number; limit: number; resetsAt: string | null };
  const next = resetsAt === null ? '' : ` The next period begins on ${spoken(resetsAt)}.`;
  return {
    because: { meter, used, limit, units, resetsAt },
    sentence: `${used} of ${counted(limit, 'unit')} of ${quoted(meter)} are used, so ${counted(units, 'more unit')} ${units === 1 ? 'does' : 'do'} not fit.${next}`,
  };
}

function buildInWords({ buildDate, version }: Build): string {
  const name = version === undefined ? 'The build of the app' : `Version ${version}`;
  return buildDate === undefined ? name : `${name}, made on ${spoken(buildDate)},`;
}

const REVOKED_BY: Readonly<Record<Revocation, string>> = {
  refund: ' because its purchase was refunded',
  chargeback: " because the customer's bank took the payment back",
  fraud: ' because fraud was reported',
  plain: ', and no reason was given',
  replaced: ', because another key took its place',
};

function wrongProduct({ productId: licenseProductId, unlockedProducts }: License, productId: string): Explained {
  const named = unlockedProducts.slice(0, PRODUCTS_IN_SENTENCE).map(quoted);
  const more = unlockedProducts.length - named.length;
  const further = named.length === 0 ? '' : ` and unlocks ${inWords(more > 0 ? [...named, `${more} more`] : named)}`;
  return {
    because: { productId, licenseProductId, unlockedProducts },
    sentence: `The license is for ${quoted(licenseProductId)}${further}, not for ${quoted(productId)}. To use that, the customer has to buy it.`,
  };
}

function slots({ license, now }: LicenseSnapshot, { slotHolders }: Known): Explained {
  const isFloating = countsSessions(license.licenseType);
  const [limit, used] = [slotLimit(license), slotsUsed(license)];
  const named = slotHolders.slice(0, HOLDERS_NAMED);
  const usedBy = named.map(({ fingerprint, hostname, lastSeen, sessionDeadline }) => ({
    fingerprint,
    hostname,
    lastSeen,
    sessionExpiresAt: isFloating ? sessionDeadline : null,
  }));
  const [until] = usedBy.flatMap(({ sessionExpiresAt }) => sessionExpiresAt ?? []).sort();
  const holders = named
    .slice(0, HOLDERS_IN_SENTENCE)
    .map(
      (holder) =>
        `${quoted(holder.hostname)} (${mark(holder, named)}last seen ${ago(now - fromTimestamp(holder.lastSeen))})`,
    );
  const more = used > holders.length ? [`${used - holders.length} more`] : [];
  const slots = counted(limit, isFloating ? 'session' : 'machine');
  return {
    because: { limit, used, usedBy, ...(until === undefined ? {} : { until }) },
    sentence: `The license is for ${slots} at once and has ${used}: ${inWords([...holders, ...more])}.`,
  };
}

/** The identity of a machine. */
type NamedMachine = Pick<Activation, 'fingerprint' | 'hostname'>;

/**
 * The beginning of the machine's fingerprint if another machine has the same name, for example after a reinstallation;
 * else ''.
 */
function mark(machine: NamedMachine, others: readonly NamedMachine[]): string {
  const hasNamesake = others.some(
    (other) => other.hostname === machine.hostname && other.fingerprint !== machine.fingerprint,
  );
  return hasNamesake ? `${machine.fingerprint.slice(0, FINGERPRINT_SHOWN)}, ` : '';
}

/** The user that a call or its machine names. */
function userOfCall({ given }: Known, machine: Activation | undefined): { readonly user?: string } {
  const user = given.user ?? machine?.user ?? null;
  return user === null ? {} : { user };
}

function machinesOfUser(limit: number, known: Known, machine: Activation | undefined, now: number): Explained {
  const named = known.machinesOfUser.slice(0, HOLDERS_NAMED);
  const usedBy = named.map(({ fingerprint, hostname, lastSeen }) => ({
    fingerprint,
    hostname,
    lastSeen,
    sessionExpiresAt: null,
  }));
  const holders = named
    .slice(0, HOLDERS_IN_SENTENCE)
    .map(({ hostname, lastSeen }) => `${quoted(hostname)} (last seen ${ago(now - fromTimestamp(lastSeen))})`);
  const used = known.machinesOfUser.length;
  const more = used > holders.length ? [`${used - holders.length} more`] : [];
  return {
    because: { limit, used, usedBy, ...userOfCall(known, machine) },
    sentence: `A user of the license may have ${counted(limit, 'machine')}, and this one has ${used}: ${inWords([...holders, ...more])}.`,
  };
}

function notActivated(path: ObservedPath, snapshot: LicenseSnapshot, { given }: Known): string {
  if (path === '/deactivate') return 'The machine is not activated, so there is no slot to free.';
  const isRefused = predictRefusal('/activate', snapshot, given) !== null;
  const activation = isRefused ? 'Activating it would be refused as well: see /activate.' : 'The app has to activate.';
  return `The machine is not activated. ${activation}`;
}
