import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { activationSchema, activationView } from '../../licensing/licenses/views.ts';
import { refusalSchema, refusalView } from '../../licensing/observed-calls/view.ts';
import { reachableProducts } from '../../licensing/products/reachable-products.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import {
  email,
  nullable,
  oneOf,
  productIdField,
  resource,
  success,
  timestamp,
} from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { mailSchema, mailView } from '../mail/list-mails.ts';
import { findCustomer, LISTED_KINDS, MAX_SHOWN } from './summary.ts';
import { MAX_LICENSES_COUNTED, MAX_ORDERS_COUNTED } from './summary-store.ts';

const licenseKey = Type.String({ description: 'The license that it belongs to.' });

const customerSchema = resource('Customer', `The data of one address; each list has at most ${MAX_SHOWN} entries.`, {
  email: Type.String({ description: 'The address, in lower case.' }),
  licenseCount: Type.Integer({ description: `Number of licenses; counting ends at ${MAX_LICENSES_COUNTED}.` }),
  firstLicenseAt: nullable(timestamp('When the oldest license was created; null without licenses.')),
  newestLicenseAt: nullable(timestamp('When the newest license was created; null without licenses.')),
  orderCount: Type.Integer({ description: `Number of studio orders bought; counting ends at ${MAX_ORDERS_COUNTED}.` }),
  formerEmails: Type.Array(
    resource('FormerEmail', 'An address that licenses of a customer had before.', {
      email: Type.String({ description: 'The address, in lower case.' }),
      licenseCount: Type.Integer({
        description: `Number of licenses that have it now; counting ends at ${MAX_LICENSES_COUNTED}.`,
      }),
    }),
    { description: 'Former addresses of the licenses, as long as their events exist. /forgetCustomer leaves them.' },
  ),
  machines: Type.Array(
    resource('CustomerMachine', 'A machine of a customer.', { licenseKey, ...activationSchema.properties }),
    { description: 'Machines, the last seen first.' },
  ),
  refusals: Type.Array(
    resource('CustomerRefusal', 'A refused call for a license of a customer.', {
      licenseKey,
      ...refusalSchema.properties,
    }),
    { description: 'Refused calls of apps, the last one first.' },
  ),
  notes: Type.Array(
    resource('CustomerNote', 'A note on a license of a customer.', {
      licenseKey,
      id: Type.String({ description: 'Identifier of the note.' }),
      text: Type.String({ description: 'The note.' }),
      at: timestamp('When it was written.'),
      by: Type.String({ description: 'Its author.' }),
    }),
    { description: 'Notes on the licenses, newest first.' },
  ),
  mails: Type.Array(mailSchema, {
    description: 'E-mails of the last 30 days to the address, newest first; for an API key, those about the licenses.',
  }),
  redemptions: Type.Array(
    resource('CustomerRedemption', 'A discount code that a customer redeemed.', {
      code: Type.String({ description: 'The code.' }),
      licenseKey: Type.String({ description: 'License that the code gave, or that was bought with it.' }),
      redeemedAt: timestamp('When the code was redeemed.'),
    }),
    { description: 'Redeemed discount codes, newest first; for an API key, those of the licenses.' },
  ),
  seats: Type.Array(
    resource('CustomerSeat', 'A seat that a customer redeemed.', {
      studioOrderId: Type.String({ description: 'The order of the seat.' }),
      courseTitle: Type.String({ description: 'The course.' }),
      redeemedAt: nullable(timestamp('When the seat was redeemed; null where it is not known.')),
    }),
    { description: 'Redeemed seats of studio orders, newest first; adminSecret only.' },
  ),
  cut: Type.Array(oneOf('A list.', LISTED_KINDS, 'CustomerList'), {
    description: 'The lists that show only a part of their entries.',
  }),
});

/** GET/POST /getCustomer (rules 4.10.2). */
export const getCustomer = endpoint({
  path: '/getCustomer',
  access: 'admin',
  needs: 'viewer',
  summary: 'Show the data of one customer',
  description:
    'Shows what is stored for an address. Addresses are compared without case, those of orders and seats without the ' +
    `case of A to Z. Machines, refusals and notes are those of the newest ${MAX_SHOWN} licenses. /listLicenses and ` +
    '/searchStudioOrders list licenses and orders of the address. `productId` limits the data to that of the licenses for one product. An ' +
    'API key sees the data of its creator; one whose creator owns more than 30 products must name a product.',
  example: {
    after: ['/createLicense'],
    request: { email: EXAMPLE.email },
    reply: {
      success: true,
      customer: {
        email: EXAMPLE.email,
        licenseCount: 1,
        firstLicenseAt: EXAMPLE_NOW,
        newestLicenseAt: EXAMPLE_NOW,
        orderCount: 0,
        formerEmails: [],
        machines: [],
        refusals: [],
        notes: [],
        mails: [],
        redemptions: [],
        seats: [],
        cut: [],
      },
    },
  },
  fields: Type.Object({
    email: email('Address of the customer; compared without case.'),
    productId: Type.Optional(productIdField),
  }),
  reply: success({ customer: customerSchema }),
  refusals: ['customer_not_found', 'too_many_products'],
}).read(async (sql, { fields: { email: given, productId }, scope, now }) => {
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const customer = await findCustomer(
    sql,
    given,
    { ...reachable, isOfProduct: productId !== undefined },
    scope,
    toTimestamp(now),
  );
  if (customer === null) return refuse('customer_not_found');
  const { machines, refusals, notes, mails, redemptions, seats, ...facts } = customer;
  return {
    success: true,
    customer: {
      ...facts,
      machines: machines.map((each) => ({ licenseKey: each.licenseKey, ...activationView(each, now) })),
      refusals: refusals.map((each) => ({ licenseKey: each.licenseKey, ...refusalView(each) })),
      notes: notes.map(({ licenseKey, noteId, text, at, by }) => ({ licenseKey, id: noteId, text, at, by })),
      mails: mails.map(mailView),
      redemptions,
      seats,
    },
  };
});
