/** Trials that a machine gets without a key, once for each product (rules 14.7). */
import { hash } from 'node:crypto';

/** A started trial. The row stays for good, so that the machine gets no second one. */
export interface Trial {
  readonly productId: string;
  /** Identifies the machine without its fingerprint; see {@link machineHash}. */
  readonly machineHash: string;
  readonly licenseKey: string;
  readonly startedAt: string;
  /** When it was found that the machine had activated a paid license within 90 days; null if it has not. */
  readonly paidAt: string | null;
}

/** Identifies a machine among the trials of a product, also after its license was forgotten. */
export function machineHash(productId: string, fingerprint: string): string {
  return hash('sha256', `latchkey-trial:${productId}:${fingerprint}`, 'base64url');
}
