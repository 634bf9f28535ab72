/** Search hits: the form of each kind of result (rules 4.3.1). */
import Type from 'typebox';
import type { DiscountCode } from '../../commerce/discount-codes/discount-code.ts';
import type { SeatWithOrder } from '../../commerce/studio-orders/store.ts';
import { type StudioOrder, seatStatus } from '../../commerce/studio-orders/studio-order.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { nullable, oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import type { FoundMachine } from './machine-search-store.ts';
import {
  type FoundChange,
  type FoundLicense,
  type FoundProduct,
  type FoundPurchase,
  MAX_MACHINES_OF_HIT,
} from './search-store.ts';
import type { FoundUser } from './user-search-store.ts';

const HIT_KINDS = ['license', 'machine', 'user', 'product', 'code', 'order', 'seat', 'purchase', 'request'] as const;
const MATCHES = [
  'key',
  'keyEnd',
  'email',
  'domain',
  'lastName',
  'purchaseId',
  'orderNumber',
  'sellerId',
  'orderId',
  'seatCode',
  'slug',
  'name',
  'code',
  'requestId',
  'hostname',
  'fingerprint',
  'user',
  'metadata',
] as const;

export const hitSchema = resource('SearchHit', 'Something that a search found.', {
  kind: oneOf('The kind of hit.', HIT_KINDS, 'SearchHitKind'),
  matchedBy: oneOf('The field that matches the query.', MATCHES, 'SearchMatch'),
  title: Type.String({ description: 'Its name for people: an address, a name, a hostname, a type of event.' }),
  licenseKey: nullable(Type.String({ description: 'License that it is, or is of; null where it is of none.' })),
  id: nullable(
    Type.String({
      description:
        'What names it where a license key does not: fingerprint, user, productId, code, studioOrderId (of a seat, too), ' +
        'purchaseId, id of a sale at its seller, request id.',
    }),
  ),
  status: nullable(
    Type.String({
      description:
        'Its status, where such a thing has one; of a machine, refused where it is not bound and was refused.',
    }),
  ),
  at: timestamp('When it was created, last seen or refused, redeemed, or done.'),
  email: nullable(
    Type.String({
      description: 'Customer of the license, buyer of the order, user of the seat; null where there is none.',
    }),
  ),
  productId: nullable(
    Type.String({
      description: 'Product of the license, the code or the change, or itself; null where there is none.',
    }),
  ),
  lastSeenAt: nullable(
    timestamp(
      `Last sign of life of the machine, or of the license's machines, of which ${MAX_MACHINES_OF_HIT} are read; null ` +
        'where there is none.',
    ),
  ),
});

type HitSchema = ReplyOf<typeof hitSchema>;

/** A hit, before the customer, the product and the machines of its license are known. */
export type Hit = Omit<HitSchema, 'email' | 'productId' | 'lastSeenAt'> &
  Partial<Pick<HitSchema, 'email' | 'productId' | 'lastSeenAt'>>;

export function licenseHit(
  { licenseKey, email, status, createdAt }: FoundLicense,
  matchedBy: 'key' | 'keyEnd' | 'email' | 'domain' | 'lastName' | 'metadata',
): Hit {
  return { kind: 'license', matchedBy, title: email, licenseKey, id: null, status, at: createdAt };
}

/** A license found by its purchase, or by the number at the end of it. */
export function purchaseHit(
  { licenseKey, email, status, createdAt, purchaseId }: FoundPurchase,
  matchedBy: 'purchaseId' | 'orderNumber',
): Hit {
  return { kind: 'purchase', matchedBy, title: email, licenseKey, id: purchaseId, status, at: createdAt };
}

/** A license that a connector issued for a sale, found by an id of the seller's. */
export function saleHit({ licenseKey, email, status, createdAt }: FoundLicense, id: string): Hit {
  return { kind: 'purchase', matchedBy: 'sellerId', title: email, licenseKey, id, status, at: createdAt };
}

export function machineHit(machine: FoundMachine, matchedBy: 'hostname' | 'fingerprint'): Hit {
  const { licenseKey, fingerprint: id, hostname, lastSeen: at, isRefused } = machine;
  const status = isRefused === 1 ? 'refused' : null;
  const lastSeenAt = status === null ? at : null;
  return { kind: 'machine', matchedBy, title: hostname ?? id, licenseKey, id, status, at, lastSeenAt };
}

/** A user who holds a seat, or whom a machine names. */
export function userHit({ licenseKey, user, lastSeen: at }: FoundUser): Hit {
  return { kind: 'user', matchedBy: 'user', title: user, licenseKey, id: user, status: null, at, lastSeenAt: at };
}

export function productHit({ productId, name, status, createdAt, matchedBy }: FoundProduct): Hit {
  return { kind: 'product', matchedBy, title: name, licenseKey: null, id: productId, status, at: createdAt, productId };
}

export function codeHit({ code, active, createdAt: at, productId }: DiscountCode): Hit {
  const status = active ? 'active' : 'inactive';
  return { kind: 'code', matchedBy: 'code', title: code, licenseKey: null, id: code, status, at, productId };
}

export function orderHit(order: StudioOrder): Hit {
  const { studioOrderId: id, courseTitle: title, status, createdAt: at, buyerEmail: email } = order;
  return { kind: 'order', matchedBy: 'orderId', title, licenseKey: null, id, status, at, email };
}

export function seatHit(seat: SeatWithOrder): Hit {
  const { studioOrderId: id, courseTitle: title, redeemedAt, createdAt, redeemedBy, buyerEmail } = seat;
  const [status, at, email] = [seatStatus(seat), redeemedAt ?? createdAt, redeemedBy ?? buyerEmail];
  return { kind: 'seat', matchedBy: 'seatCode', title, licenseKey: null, id, status, at, email };
}

/** A change made by a request. */
export function requestHit(change: FoundChange, requestId: string): Hit {
  const { type: title, licenseKey, occurredAt: at, productId } = change;
  return { kind: 'request', matchedBy: 'requestId', title, licenseKey, id: requestId, status: null, at, productId };
}
