/** How a license falls and rises again: pure rules of revocation (specification, "License status"). */
import { type License, type Revocation, stricterRevocation } from './license.ts';
import { GRAVEST_LEVEL } from './violation.ts';

/** Reasons that a revocation may be given. */
export const REVOCATION_REASONS = ['refund', 'chargeback', 'fraud'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** The license after a revocation; without a reason it leaves no violation and no threat. */
export function revoked(license: License, reason: RevocationReason | undefined): License {
  const revocation: Revocation = stricterRevocation(license.revocation, reason ?? 'plain');
  if (reason === undefined) return { ...license, revocation };
  const isDispute = reason !== 'fraud' && license.disputeReason !== 'chargeback';
  return {
    ...license,
    revocation,
    threatLevel: GRAVEST_LEVEL,
    disputeReason: isDispute ? reason : license.disputeReason,
  };
}

/** The license after reinstatement, whatever it was revoked for; `threatLevel` is that of what stays open. */
export function reinstated(license: License, threatLevel: number): License {
  return { ...license, revocation: null, disputeReason: null, threatLevel };
}

/**
 * The license after violations were resolved. A refund's or fraud's revocation is lifted when nothing grave stays open;
 * a chargeback's and an operator's own stay until reinstatement.
 */
export function resolved(license: License, threatLevel: number): License {
  const isLifted = (license.revocation === 'refund' || license.revocation === 'fraud') && threatLevel < GRAVEST_LEVEL;
  return isLifted ? reinstated(license, threatLevel) : { ...license, threatLevel };
}
