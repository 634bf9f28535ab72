/** Pure rules for revoking and reinstating a license (rules 3.1). */

import { GRAVEST_LEVEL, reported, threatLevelOf, type Violation } from '../violations/violation.ts';
import type { LicenseDecision } from './change.ts';
import { type License, type Revocation, stricterRevocation } from './license.ts';

/** Reasons of a revocation in requests. */
export const REVOCATION_REASONS = ['refund', 'chargeback', 'fraud'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/**
 * Revokes a license. With a reason it opens a violation of the gravest level; two calls open two violations. Without a
 * reason it opens no violation and leaves the threat level.
 *
 * @param evidence facts that support can give the customer
 */
export function revocationOf(
  license: License,
  reason: RevocationReason | undefined,
  evidence: Violation['evidence'],
  now: number,
): LicenseDecision {
  const revocation: Revocation = stricterRevocation(license.revocation, reason ?? 'plain');
  if (reason === undefined) return { type: 'license.revoked', update: { revocation } };
  const isDispute = reason !== 'fraud' && license.disputeReason !== 'chargeback';
  return {
    type: 'license.revoked',
    update: {
      revocation,
      threatLevel: GRAVEST_LEVEL,
      disputeReason: isDispute ? reason : license.disputeReason,
    },
    details: { reason },
    opened: [reported(reason, evidence, license.licenseKey, now)],
  };
}

/** Lifts a revocation with any reason, and resolves open violations of the gravest level. */
export function reinstatementOf(open: readonly Violation[]): LicenseDecision {
  const resolved = open.filter(({ severity }) => severity === GRAVEST_LEVEL);
  return {
    type: 'license.reinstated',
    update: {
      revocation: null,
      disputeReason: null,
      threatLevel: threatLevelOf(open.filter((each) => !resolved.includes(each))),
    },
    resolved,
  };
}

/**
 * Resolves violations. A revocation for refund or fraud is lifted with the last open violation of the gravest level;
 * one for a chargeback, or by an operator without a reason, stays until reinstatement.
 *
 * @param open all open violations
 * @param ids violations to resolve; ids of others have no effect
 * @param staysRevoked whether any revocation stays until reinstatement
 */
export function resolutionOf(
  license: License,
  open: readonly Violation[],
  ids: readonly string[],
  staysRevoked = false,
): LicenseDecision {
  const resolved = open.filter(({ violationId }) => ids.includes(violationId));
  const threatLevel = threatLevelOf(open.filter((each) => !resolved.includes(each)));
  // Milder ones lift no revocation whose gravest violations were resolved before, when it was to stay.
  const endsGravest = resolved.some(({ severity }) => severity === GRAVEST_LEVEL) && threatLevel < GRAVEST_LEVEL;
  const isLiftable = license.revocation === 'refund' || license.revocation === 'fraud';
  const isLifted = isLiftable && endsGravest && !staysRevoked;
  const lifted = isLifted ? { revocation: null, disputeReason: null } : {};
  return { type: 'license.reinstated', update: { ...lifted, threatLevel }, resolved };
}
