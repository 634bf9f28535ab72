import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, licenseKeyField, success, text, timestamp, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { ownerOf } from '../../platform/endpoint/owner.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { LINK_MINUTES, makeCustomerLink } from './link.ts';

const MISSING = 'Missing licenseKey or email';

/** POST /createCustomerLink (rules 13.3). */
export const createCustomerLink = endpoint({
  path: '/createCustomerLink',
  access: 'adminOrWebhook',
  needs: 'support',
  summary: 'Make a link with which a customer signs in once',
  description:
    'The link leads to the pages at /my, where the customer sees the licenses of the address, why a computer was ' +
    'refused, and frees one. It works once, and opening it does not use it up: the page has a button. Name a license ' +
    'or an address. With an API key, or with `creatorId`, the customer sees the licenses of that shop only. Give it to ' +
    'nobody but the customer. An address has 20 unused links to a shop at most; a further one replaces the oldest.',
  example: {
    after: ['/createLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, minutes: 60 },
    reply: { success: true, url: MADE_BY_SERVICE.customerLink, expiresAt: '2027-03-01T10:30:00.000Z' },
  },
  fields: Type.Object({
    licenseKey: Type.Optional(licenseKeyField),
    email: Type.Optional(email('The address of the customer; compared without case.')),
    creatorId: Type.Optional(text('The shop that the customer is to see. An API key can name its own creator only.')),
    minutes: Type.Optional(
      wholeNumber(`Validity in minutes; ${LINK_MINUTES.default} by default.`, LINK_MINUTES.least, LINK_MINUTES.most),
    ),
  }),
  missing: MISSING,
  reply: success({
    url: Type.String({ description: 'The link; shown this once.' }),
    expiresAt: timestamp('Until when it works.'),
  }),
  refusals: ['license_not_found', 'self_service_off', 'no_shop_named', 'creator_mismatch', 'address_not_mailable'],
}).write(async (tx, { fields, scope, origin, ruleContext }) => {
  const { licenseKey, email: address, creatorId, minutes = LINK_MINUTES.default } = fields;
  if ((licenseKey === undefined) === (address === undefined))
    return licenseKey === undefined
      ? refuse('missing_fields', { details: { message: MISSING } })
      : refuse('invalid_field', { details: { message: 'email cannot be given together with licenseKey' } });
  const shop = ownerOf(creatorId, scope);
  if (isRefusal(shop)) return shop;
  const customer = licenseKey === undefined ? { email: address as string } : { licenseKey };
  const made = await makeCustomerLink(tx, origin, { customer, scope: shop, minutes }, ruleContext.settings.selfService);
  return isRefusal(made) ? made : { success: true, ...made };
});
