/** The contract of a source: the pure functions that know one seller. */
import type { Fact, Match, ProductName, Reference, ReferenceKind } from './facts.ts';

/** Greatest size of a delivery. */
export const MAX_BODY_BYTES = 1_048_576;

/** A request of a seller, as it came. */
export interface Delivery {
  /** At most {@link MAX_BODY_BYTES}. */
  readonly body: Uint8Array;
  /** Names in lower case, each with all its values. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
}

/** Why the signature of a delivery is not valid; shown to the vendor only. */
export const REJECTIONS = {
  no_secret: 'The connector has no signing secret',
  signature_missing: 'The request has no signature',
  signature_repeated: 'The request has a header of the signature twice',
  signature_malformed: 'The header of the signature cannot be read',
  too_old: 'The request was signed more than five minutes ago',
  too_new: 'The request was signed more than five minutes ahead',
  signature_wrong: 'The signature fits none of the signing secrets',
} as const;
export type Rejection = keyof typeof REJECTIONS;

/** One event of a delivery. */
export interface DeliveredEvent {
  /** The seller's id, else one made of the body. The same id is the same event. */
  readonly sellerEventId: string;
  readonly type: string;
  /** When it happened, in milliseconds since 1970; null where the seller does not say. */
  readonly at: number | null;
  /** Null where the seller does not say. */
  readonly isTest: boolean | null;
  /** The seller's id of the subject of the event, for lists and searches. */
  readonly subject: string | null;
  /** The input of {@link Source.facts}. */
  readonly body: string;
}

/** The type of an event whose body the source cannot read. */
export const UNREADABLE = 'unreadable';

/** Something to ask the seller for. */
export interface LookUp {
  readonly what: 'session_items' | 'invoice_lines' | 'customer' | 'sale';
  readonly id: string;
}

/** The known facts while an event is translated. */
export interface Known {
  /** Whether the connector maps this name, or the catalogue has this variant. */
  isMapped(name: ProductName): boolean;
  /** The JSON that the seller answered to a look-up; undefined before it was asked. */
  lookedUp(lookUp: LookUp): unknown;
}

/**
 * The facts of an event. With `needs`, the facts are not complete before these are looked up; a need for a customer is
 * met by a known address of that customer, too. `unknownShape` says which field the source does not understand.
 */
export type Translation =
  | { readonly facts: readonly Fact[]; readonly needs: readonly LookUp[] }
  | { readonly unknownShape: string };

/** A request to the seller's API: GET, with an answer in JSON. */
export interface SellerRequest {
  /** Path and query below {@link LookUps.origin}. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A page of the seller's events. */
export interface CaughtUpPage {
  readonly events: readonly DeliveredEvent[];
  /** The path of the next page; null on the last. */
  readonly next: string | null;
}

/** A list of the seller's API from which missed events are read. */
export interface CatchUpList {
  /** @param since milliseconds since 1970 */
  first(since: number): string;
  /**
   * Reads a page that {@link CatchUpList.first} or {@link CaughtUpPage.next} asked for.
   *
   * @returns the events since then; null for an answer of an unknown shape
   */
  read(value: unknown, since: number): CaughtUpPage | null;
}

/** A request of a source to its seller's API. */
export interface LookUps {
  /** The fixed address of the API, without a slash at its end. */
  readonly origin: string;
  request(path: string, apiKey: string): SellerRequest;
  pathOf(lookUp: LookUp): string;
  /** Empty where the seller's API has no suitable list. */
  readonly catchUp: readonly CatchUpList[];
}

/** A request for the keys of one line of an order, which the seller makes while it fulfills the order. */
export interface LicenseRequest {
  /** The reference of the order. */
  readonly order: Reference;
  readonly line: string;
  /** The event that the request is stored as; the same line of an order is the same event. */
  readonly event: DeliveredEvent;
}

/** The license requests of a seller. */
export interface LicenseRequests {
  /**
   * Checks the hash of a request, in constant time.
   *
   * @param privateKeys the live ones of the connector
   */
  rejectionOf(form: URLSearchParams, privateKeys: readonly string[]): Rejection | null;
  /**
   * Reads a request whose hash was checked.
   *
   * @param now milliseconds since 1970
   * @returns the name of the field that is missing or damaged
   */
  read(form: URLSearchParams, now: number): LicenseRequest | string;
}

/** A seller. All functions are pure: no storage, no clock, no network. */
export interface Source<Name extends string = string> {
  readonly name: Name;
  /** The name of the seller for people. */
  readonly title: string;
  /**
   * Where the signing secret comes from: the seller shows it, the vendor types one that the service made, or deliveries
   * are not signed and every sale is read back.
   */
  readonly secret: 'shown' | 'typed' | 'none';
  /** Whether the seller can issue license keys of its own. */
  readonly issuesKeys?: true;
  /** Whether every key of the seller's API can do everything in the vendor's account. */
  readonly hasBroadKeys?: true;
  /** The steps of a vendor at the seller, in order; `{url}` and `{secret}` stand for the values to paste. */
  readonly steps: readonly string[];
  /** The kinds of ids that mappings may name, the most exact first. */
  readonly matches: readonly Match[];
  /**
   * Checks the signature of a delivery, over its bytes and in constant time.
   *
   * @param secrets the live ones
   * @param now milliseconds since 1970
   * @returns null if the delivery is the seller's
   */
  verify(delivery: Delivery, secrets: readonly string[], now: number): Rejection | null;
  /** Whether a request only tries the address while the vendor saves it: it is unsigned, answered and dropped. */
  isTrial?(delivery: Delivery): boolean;
  /** The events of a verified delivery. One that cannot be read is an event of type {@link UNREADABLE}. */
  events(delivery: Delivery): readonly DeliveredEvent[];
  /** Whether an event says nothing itself, so that the seller is asked anew each time the same one arrives. */
  isHint?(event: Pick<DeliveredEvent, 'type'>): boolean;
  facts(event: DeliveredEvent, known: Known): Translation;
  /** Null where nothing is ever asked. */
  readonly lookUps: LookUps | null;
  /**
   * The kind of reference that has at least 80 random bits and stands in the address of the thank-you page, so that
   * only the buyer and the vendor know it. Absent where the seller has none.
   */
  readonly secretReference?: ReferenceKind;
  /** Absent where the seller makes none. */
  readonly licenseRequests?: LicenseRequests;
}
