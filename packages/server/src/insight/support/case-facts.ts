/** The facts about a refused machine that a verdict may use. */

import type { License } from '../../licensing/licenses/license.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import type { KeptRefusal } from '../../licensing/observed-calls/kept-refusal.ts';
import type { Violation } from '../../licensing/violations/violation.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import type { checkSchema } from './explanation-views.ts';

type Check = ReplyOf<typeof checkSchema>;

/** The facts that are known before the answers of the endpoints are predicted. */
export interface KnownFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The license without lapsed sessions. */
  readonly license: License;
  /** The explained machine if it is bound. */
  readonly machine: Activation | undefined;
  /** The explained machine as it is named; an empty fingerprint if no machine is known. */
  readonly asked: { readonly fingerprint: string; readonly hostname: string | null; readonly productId: string };
  /** Machines that take slots, longest idle first. Read if no slot is free. */
  readonly slotHolders: readonly Activation[];
  /** Those slot holders with an offline license file that has not expired, by fingerprint. */
  readonly offline: readonly string[];
  /** Open violations that the service detected. */
  readonly detected: readonly Violation[];
  /** Open violations that were reported. Read if the license is revoked. */
  readonly reported: readonly Violation[];
  /** The latest refusals of the license, of all its machines. */
  readonly lastRefusals: readonly KeptRefusal[];
  /** Number of other active licenses of the customer for the product. Read if the license has expired. */
  readonly otherLicenses: number;
}

/** All facts that a verdict may use. */
export interface CaseFacts extends KnownFacts {
  /** The present answers of the client endpoints to the machine. */
  readonly checks: readonly Check[];
}

/**
 * The first refused call of those that the machine makes; null if all succeed. A machine that is not bound has nothing
 * to validate, keep alive or deactivate.
 */
export function decidingCheck({ checks, machine }: Pick<CaseFacts, 'checks' | 'machine'>): Check | null {
  const concerns = ({ endpoint }: Check) => machine !== undefined || endpoint === '/verify' || endpoint === '/activate';
  return checks.find((check) => check.outcome !== 'ok' && concerns(check)) ?? null;
}
