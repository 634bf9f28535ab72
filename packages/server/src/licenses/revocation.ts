/** Revoking a license and lifting that again: pure rules (rules 3.1). */
import type { LicenseDecision } from './change.ts';
import { type License, type Revocation, stricterRevocation } from './license.ts';
import { GRAVEST_LEVEL, reported, threatLevelOf, type Violation } from './violation.ts';

/** Reasons that a revocation may be given. */
export const REVOCATION_REASONS = ['refund', 'chargeback', 'fraud'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/**
 * Revokes. With a reason it opens a violation of the gravest level; twice is two violations. Without one it leaves
 * neither violation nor threat.
 *
 * @param evidence what support staff can tell the customer about it
 */
export function revocationOf(
  license: License,
  reason: RevocationReason | undefined,
  evidence: Violation['evidence'],
  now: number,
): LicenseDecision {
  const revocation: Revocation = stricterRevocation(license.revocation, reason ?? 'plain');
  if (reason === undefined) return { type: 'license.revoked', license: { ...license, revocation } };
  const isDispute = reason !== 'fraud' && license.disputeReason !== 'chargeback';
  return {
    type: 'license.revoked',
    license: {
      ...license,
      revocation,
      threatLevel: GRAVEST_LEVEL,
      disputeReason: isDispute ? reason : license.disputeReason,
    },
    details: { reason },
    opened: [reported(reason, evidence, license.licenseKey, now)],
  };
}

/** Lifts a revocation, whatever its reason; what is open at the gravest level is resolved with it. */
export function reinstatementOf(license: License, open: readonly Violation[]): LicenseDecision {
  const resolved = open.filter(({ severity }) => severity === GRAVEST_LEVEL);
  return {
    type: 'license.reinstated',
    license: {
      ...license,
      revocation: null,
      disputeReason: null,
      threatLevel: threatLevelOf(open.filter((each) => !resolved.includes(each))),
    },
    resolved,
  };
}

/**
 * Resolves violations. A refund's or fraud's revocation is lifted when nothing of the gravest level stays open; a
 * chargeback's and an operator's own stay until reinstatement.
 *
 * @param open all that is open
 * @param ids which of them are to be resolved; others change nothing
 */
export function resolutionOf(license: License, open: readonly Violation[], ids: readonly string[]): LicenseDecision {
  const resolved = open.filter(({ violationId }) => ids.includes(violationId));
  const threatLevel = threatLevelOf(open.filter((each) => !resolved.includes(each)));
  const isLifted = (license.revocation === 'refund' || license.revocation === 'fraud') && threatLevel < GRAVEST_LEVEL;
  const lifted = isLifted ? { revocation: null, disputeReason: null } : {};
  return { type: 'license.reinstated', license: { ...license, ...lifted, threatLevel }, resolved };
}
