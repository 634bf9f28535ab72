/** Turns fields that a source does not understand into values: an unreadable event, a translation without facts. */
import type { Fact, IgnoredBecause, NameKind, ProductName, Reference, ReferenceKind } from './facts.ts';
import { Fields, parseJson, UnknownShape } from './fields.ts';
import { digestOf } from './signed.ts';
import {
  type CaughtUpPage,
  type DeliveredEvent,
  type Delivery,
  type Known,
  type LookUp,
  type SellerRequest,
  type Translation,
  UNREADABLE,
} from './source.ts';

/** The events of a delivery, as `read` finds them in its text. */
export function readEvents(
  { body }: Delivery,
  read: (text: string) => readonly DeliveredEvent[],
): readonly DeliveredEvent[] {
  const text = Buffer.from(body).toString('utf8');
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof UnknownShape)) throw error;
    const sellerEventId = digestOf(body);
    return [{ sellerEventId, type: UNREADABLE, at: null, isTest: null, subject: null, body: text }];
  }
}

/** The facts of an event whose body is JSON. */
export function translate(event: DeliveredEvent, read: (body: Fields) => Facts): Translation {
  return event.type === UNREADABLE ? { unknownShape: 'body' } : translation(() => read(parseJson(event.body)));
}

/** Facts, or the look-ups that come before them. */
export type Facts = readonly Fact[] | { readonly facts?: readonly Fact[]; readonly needs: readonly LookUp[] };

/** Calls `read`, whose fields may have an unknown shape. */
export function translation(read: () => Facts): Translation {
  try {
    const found = read();
    return 'needs' in found ? { facts: found.facts ?? [], needs: found.needs } : { facts: found, needs: [] };
  } catch (error) {
    if (!(error instanceof UnknownShape)) throw error;
    return { unknownShape: error.message };
  }
}

/** The answer to a look-up as fields, or null before it was asked. */
export function answerTo(known: Known, lookUp: LookUp): Fields | null {
  const value = known.lookedUp(lookUp);
  return value === undefined ? null : new Fields(value, lookUp.what);
}

/** A page of a list of the seller's API, or null if it has an unknown shape. */
export function readPage(value: unknown, read: (page: Fields) => CaughtUpPage): CaughtUpPage | null {
  try {
    return read(new Fields(value, ''));
  } catch (error) {
    if (!(error instanceof UnknownShape)) throw error;
    return null;
  }
}

/** A request with the API key as bearer. */
export function bearerRequest(
  path: string,
  apiKey: string,
  headers: Readonly<Record<string, string>> = {},
): SellerRequest {
  return { path, headers: { accept: 'application/json', ...headers, authorization: `Bearer ${apiKey}` } };
}

/** A reference, unless its id is absent. */
export function referencesOf(ids: Readonly<Partial<Record<ReferenceKind, string | null>>>): readonly Reference[] {
  return Object.entries(ids).flatMap(([kind, id]) =>
    id === null || id === undefined ? [] : [{ kind: kind as ReferenceKind, id }],
  );
}

/** The names of a product, unless their ids are absent. */
export function namesOf(ids: Readonly<Partial<Record<NameKind, string | null>>>): readonly ProductName[] {
  return Object.entries(ids).flatMap(([by, id]) =>
    id === null || id === undefined ? [] : [{ by: by as NameKind, id }],
  );
}

/** The only fact of an event that says nothing about licenses. */
export function ignored(because: IgnoredBecause): readonly Fact[] {
  return [{ fact: 'ignored', because }];
}
