/** A license of the model. Times are milliseconds. */
import type { Users } from './seats.ts';
import type { Terms } from './terms.ts';

export type LicenseType = 'per-machine' | 'floating' | 'site';
export type Reason = 'refund' | 'chargeback' | 'fraud';

export interface Machine {
  /**
   * The token it was bound with, which distinguishes this activation from those before it was unbound and bound again.
   */
  activation: string;
  hostname: string;
  /** In the form in which the machine got this user. */
  user: string | null;
  firstSeen: number;
  lastSeen: number;
  tokenExpiry: number;
  /** The floating session: when it began, and its last sign of life. */
  session: { began: number; lastSign: number } | null;
}

export interface Violation {
  type: string;
  severity: number;
  isOpen: boolean;
  /** Number of refused machines, and the time of the last refusal, which raise the severity of machine_limit. */
  machines: Record<string, number>;
}

export interface License {
  type: LicenseType;
  maxMachines: number;
  maxConcurrent: number | null;
  expiresAt: number | null;
  terms: Terms;
  /** Every present reason for its revocation. */
  revocations: (Reason | 'plain')[];
  disputeReason: 'refund' | 'chargeback' | null;
  attempts: number[];
  users: Users;
  machines: Record<string, Machine>;
  violations: Violation[];
  /** New machines that waited for a seat of a floating license, and when they did last. */
  waits: Record<string, number>;
  /** The key that took the place of its own. */
  replacedBy: string | null;
}
