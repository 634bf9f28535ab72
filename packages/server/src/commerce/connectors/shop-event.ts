/** An event as a seller delivered it, and its outcome (rules 15.2). */
import { mintOrderedUuid } from '../../ground/base/random.ts';
import type { AttentionReason } from './attention.ts';
import type { ShopEventState } from './inbox-state.ts';
import type { IgnoredBecause } from './sources/facts.ts';

/** Why an event is ignored beside the reasons of sources. */
export const IGNORED_HERE = {
  other_mode: 'the event is of the other mode, live or test',
  mapped_to_ignore: 'a mapping says that the product has no license',
} as const;

/** Why an event is in its state. */
export type EventReason = AttentionReason | IgnoredBecause | keyof typeof IGNORED_HERE;

/** The effect of an event on a license. */
export const DEEDS = [
  'issued',
  'linked',
  'renewed',
  'shortened',
  'changed',
  'revoked',
  'reinstated',
  'noted',
  'readdressed',
] as const;
export type Deed = (typeof DEEDS)[number];

/** A license that an event changed. */
export interface EventLicense {
  readonly licenseKey: string;
  readonly did: Deed;
}

export interface ShopEvent {
  readonly eventId: string;
  readonly connectorId: string;
  readonly creatorId: string | null;
  readonly sellerEventId: string;
  readonly type: string;
  /** When it happened; null where the seller does not say. */
  readonly sourceAt: string | null;
  readonly receivedAt: string;
  /** Null where the seller does not say. */
  readonly isTest: boolean | null;
  readonly subject: string | null;
  /** The sale that it belongs to; null before it is known. */
  readonly subjectId: string | null;
  readonly state: ShopEventState;
  readonly reason: EventReason | null;
  /** The field that is not understood, or the failure. */
  readonly detail: string | null;
  readonly attempts: number;
  /** Milliseconds since 1970; null unless the service goes on by itself. */
  readonly dueAt: number | null;
  /** When the seller is asked; null unless the event waits for a look-up. */
  readonly lookUpAt: number | null;
  /** When it became due for the first time since it last moved on. */
  readonly dueSince: number | null;
  readonly outcome: readonly EventLicense[];
  readonly keptUntil: string;
}

/** An event with the input of its source. */
export interface WholeShopEvent extends ShopEvent {
  /** '' once it is no longer kept. */
  readonly body: string;
  /** The seller's answers to look-ups, by {@link lookUpKey}; null for a thing that the seller does not have. */
  readonly lookedUp: Readonly<Record<string, unknown>>;
}

/** The name of a look-up among the answers of an event. */
export function lookUpKey({ what, id }: { readonly what: string; readonly id: string }): string {
  return `${what}:${id}`;
}

export function mintShopEventId(now: number): string {
  return `sev_${mintOrderedUuid(now)}`;
}
