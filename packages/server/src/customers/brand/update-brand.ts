import Type from 'typebox';
import { asUnderstood } from '../../ground/base/web-address.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { flag, nullable, success, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { ownerOf } from '../../platform/endpoint/owner.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { refuseName } from '../../platform/endpoint/shown-name.ts';
import { eventsOfOwner, refusalOfShown, type SeenThing } from '../../platform/endpoint/shown-values.ts';
import { LONGEST_LOGO_TEXT, OPERATOR, readLogo, refuseBrand, type WholeBrand } from './brand.ts';
import { changeBrand } from './change.ts';
import {
  BRAND_EXAMPLE,
  brandCreatorField,
  brandSchema,
  brandView,
  productLinksField,
  productLinksIn,
} from './fields.ts';
import { lockBrand } from './store.ts';

const LONGEST_NAME = 100;
const LONGEST_URL = 2048;
const MISSING = 'Missing name, which a new brand needs';

/** POST /updateBrand (rules 13.7). */
export const updateBrand = endpoint({
  path: '/updateBrand',
  access: 'admin',
  summary: 'Change the brand of the pages for customers',
  description:
    "Changes the given fields of the operator's brand, or of that of a creator's shop, and makes it where there is " +
    'none; `name` is needed then. Null removes a value. The accent is refused unless its contrast with white and with ' +
    'black is at least 3. The logo is a PNG, JPEG or WebP picture of at most 32 KiB, in base64. `productLinks` lead from a license to its download, its renewal and its receipt. ' +
    '`allowsNewKeys` lets customers give their licenses new keys at /my. With `wasUpdatedAt`, a ' +
    'brand that was changed since is left as it is: the answer is 409 with the author of that change.',
  example: {
    request: {
      name: 'Tapehead Audio',
      supportAddress: 'help@example.com',
      accent: '#1a5fb4',
      productLinks: [
        { productId: 'my-app', download: 'https://example.com/download', receipt: 'https://example.com/orders' },
      ],
    },
    reply: { success: true, brand: BRAND_EXAMPLE },
  },
  fields: Type.Object({
    creatorId: Type.Optional(brandCreatorField),
    name: Type.Optional(text('Shown at the top of every page and in e-mails.', LONGEST_NAME)),
    supportAddress: Type.Optional(nullable(text('E-mail address of support.', 320))),
    supportUrl: Type.Optional(nullable(text('Page of support; an https address.', LONGEST_URL))),
    accent: Type.Optional(nullable(text('Colour of buttons and links, as `#rrggbb`.', 7))),
    logo: Type.Optional(nullable(text('The picture in base64.', LONGEST_LOGO_TEXT))),
    productLinks: Type.Optional(productLinksField),
    allowsNewKeys: Type.Optional(
      flag('Whether customers give a license of its products a new key at /my, once in 30 days; false at first.'),
    ),
    wasUpdatedAt: Type.Optional(nullable(timestamp('`updatedAt` of the brand that the caller saw; null is no brand.'))),
  }),
  missing: MISSING,
  reply: success({ brand: brandSchema }),
  refusals: ['creator_mismatch', 'changed_meanwhile'],
}).write(async (tx, { fields, scope, origin }) => {
  const owner = ownerOf(fields.creatorId, scope);
  if (isRefusal(owner)) return owner;
  const key = owner.creatorId ?? OPERATOR;
  const { creatorId: _, logo: logoText, wasUpdatedAt, productLinks: givenLinks, ...given } = fields;
  const productLinks = givenLinks && productLinksIn(givenLinks);
  const refusal =
    refuseName(given.name, scope) ?? refuseBrand({ ...given, ...(productLinks === undefined ? {} : { productLinks }) });
  if (refusal !== null) return refusal;
  const logo = typeof logoText === 'string' ? readLogo(logoText) : logoText;
  if (logo && isRefusal(logo)) return logo;
  for (;;) {
    const before = await lockBrand(tx, key);
    const changedMeanwhile = await refusalOfShown(tx, seenBrand(key, before), { wasUpdatedAt }, scope);
    if (changedMeanwhile !== null) return changedMeanwhile;
    const name = given.name ?? before?.name;
    if (name === undefined) return refuse('missing_fields', { details: { message: MISSING } });
    const kept = before ?? {
      supportAddress: null,
      supportUrl: null,
      accent: null,
      logo: null,
      productLinks: [],
      allowsNewKeys: false,
      updatedAt: '',
    };
    const after: WholeBrand = {
      ...kept,
      creatorId: key,
      name,
      ...(given.supportAddress === undefined ? {} : { supportAddress: given.supportAddress }),
      ...(given.supportUrl === undefined ? {} : { supportUrl: given.supportUrl && asUnderstood(given.supportUrl) }),
      ...(given.accent === undefined ? {} : { accent: given.accent?.toLowerCase() ?? null }),
      ...(logo === undefined ? {} : { logo: logo as WholeBrand['logo'] }),
      ...(productLinks === undefined ? {} : { productLinks }),
      ...(given.allowsNewKeys === undefined ? {} : { allowsNewKeys: given.allowsNewKeys }),
    };
    const brand = await changeBrand(tx, origin, before, after);
    // Otherwise another call has just made the first brand, which can be locked now and is never deleted.
    if (brand !== undefined) return { success: true, brand: brandView(brand) };
  }
});

/** Compares the time of the last change, because events hold no logo to compare. */
function seenBrand(key: string, stored: WholeBrand | undefined): SeenThing<{ readonly updatedAt: string | null }> {
  const creatorId = key === OPERATOR ? null : key;
  return {
    name: 'Brand',
    stored: { updatedAt: stored?.updatedAt ?? null },
    events: eventsOfOwner(['brand.updated'], creatorId),
    isChangeOf: ({ subject }) => subject === creatorId,
  };
}
