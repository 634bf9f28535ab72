import type { AttackName } from './attacks.ts';
import type { ServedMeanwhile } from './bystanders.ts';
import type { CustomerReport } from './customer.ts';

/** The effects of an attack. */
export interface AttackReport {
  /** Null for the quiet before the attacks. */
  readonly attack: AttackName | null;
  readonly customer: CustomerReport;
  /** Who else was served meanwhile. */
  readonly meanwhile: ServedMeanwhile;
  /** The number of answers to the attacker, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections of the attacker that the service ended or did not take. */
  readonly cut: number;
  /** The most memory that the service held meanwhile. */
  readonly peakMemoryBytes: number;
  /** Bytes that the service wrote to disk meanwhile; next to none with PostgreSQL, whose own processes write. */
  readonly writtenBytes: number;
  /** Only for the attack on the end: how long the service took to end, and its exit code; null when it did not. */
  readonly ended?: { readonly tookMs: number; readonly code: number | null };
  /** Growth of the database's pages during the attack, without pages that wait in a log. */
  readonly growthBytes: number;
  /** Answers that are kept for an Idempotency-Key. Nobody who attacks may have any kept. */
  readonly keptAnswers: number;
  /** Forbidden outcomes that occurred; empty when all is well. */
  readonly errors: readonly string[];
}
