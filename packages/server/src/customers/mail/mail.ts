/** An e-mail in the outbox. */
import { mintOrderedUuid } from '../../ground/base/random.ts';
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';

/** `dropped`: it had no purpose any more when it was due. */
export const MAIL_STATES = ['waiting', 'sent', 'failed', 'dropped'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** A row of the outbox. */
export interface Mail {
  /** `mail_` and an ordered UUID. */
  readonly mailId: string;
  readonly kind: string;
  readonly to: string;
  /** The address in the form in which addresses are compared. */
  readonly toFolded: string;
  readonly creatorId: string | null;
  readonly language: MailLanguage;
  readonly licenseKey: string | null;
  readonly data: Readonly<Record<string, string>>;
  /** The same for every attempt, so that a receiver recognises a repeated mail; null before the first. */
  readonly messageId: string | null;
  readonly state: MailState;
  /** Attempts begun, the present one included. */
  readonly attempts: number;
  /** The next attempt; while one is under way, the attempt after it. */
  readonly dueAt: string;
  readonly lastError: string | null;
  readonly createdAt: string;
  /** When it left the state `waiting`; null before. */
  readonly settledAt: string | null;
  /** When the row is deleted. */
  readonly keptUntil: string;
}

export function mintMailId(now: number): string {
  return `mail_${mintOrderedUuid(now)}`;
}
