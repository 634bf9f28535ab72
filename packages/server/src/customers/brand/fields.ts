/** A brand as endpoints show it. */
import Type from 'typebox';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import { nullable, resource, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { OPERATOR, type WholeBrand } from './brand.ts';
import { LINK_KINDS, type LinkKind, LONGEST_LINK, MAX_LINKED_PRODUCTS, type ProductLinks } from './product-links.ts';

const optionalText = (description: string) => nullable(Type.String({ description }));

export const brandCreatorField = text(
  "Whose brand: a creator's id. The operator's own without it. An API key reaches that of its creator only.",
);

const LINK_MEANINGS: Readonly<Record<LinkKind, string>> = {
  download: 'The page with the newest version.',
  renew: 'The page where a license is renewed.',
  receipt: "The shop's page of orders and receipts.",
};

const productLinksSchema = resource(
  'ProductLinks',
  'Links that the pages at /my show beside the licenses of a product.',
  {
    productId: Type.String(),
    download: optionalText(LINK_MEANINGS.download),
    renew: optionalText(LINK_MEANINGS.renew),
    receipt: optionalText(LINK_MEANINGS.receipt),
  },
);

const givenLink = (kind: LinkKind) =>
  Type.Optional(nullable(text(`${LINK_MEANINGS[kind]} An https address.`, LONGEST_LINK)));

/** The links of products in a request: they replace the stored ones. */
export const productLinksField = Type.Array(
  Type.Object({
    productId: text('The product. Only the brand of its own creator gives it links.', 255),
    download: givenLink('download'),
    renew: givenLink('renew'),
    receipt: givenLink('receipt'),
  }),
  { description: 'Replaces all links of products; an empty list removes them.', maxItems: MAX_LINKED_PRODUCTS },
);

/** The links as they are stored: products without any are left out. */
export function productLinksIn(given: ReplyOf<typeof productLinksField>): readonly ProductLinks[] {
  const whole = given.map(({ productId, download = null, renew = null, receipt = null }) => ({
    ...{ productId, download, renew, receipt },
  }));
  return whole.filter((links) => LINK_KINDS.some((kind) => links[kind] !== null));
}

export const brandSchema = resource('Brand', 'The brand of the pages for customers at /my.', {
  creatorId: optionalText("The creator; null: the operator's."),
  name: Type.String({ description: 'Shown at the top of every page and in e-mails.' }),
  supportAddress: optionalText('E-mail address of support.'),
  supportUrl: optionalText('Page of support.'),
  accent: optionalText('Colour of buttons and links, as `#rrggbb`.'),
  logo: nullable(
    resource('Logo', 'A picture.', {
      type: Type.String({ description: 'Its media type.' }),
      data: Type.String({ description: 'Its bytes in base64.' }),
    }),
  ),
  productLinks: Type.Array(productLinksSchema),
  allowsNewKeys: Type.Boolean({
    description: 'Whether customers give a license of its products a new key at /my, once in 30 days.',
  }),
  updatedAt: timestamp('When it was changed last.'),
});

/** The brand in the examples of the endpoints. */
export const BRAND_EXAMPLE = {
  creatorId: null,
  name: 'Tapehead Audio',
  supportAddress: 'help@example.com',
  supportUrl: null,
  accent: '#1a5fb4',
  logo: null,
  productLinks: [
    {
      productId: 'my-app',
      download: 'https://example.com/download',
      renew: null,
      receipt: 'https://example.com/orders',
    },
  ],
  allowsNewKeys: false,
  updatedAt: EXAMPLE_NOW,
};

/** The brand as endpoints answer it. */
export function brandView({
  creatorId,
  name,
  supportAddress,
  supportUrl,
  accent,
  logo,
  productLinks,
  allowsNewKeys,
  updatedAt,
}: WholeBrand): ReplyOf<typeof brandSchema> {
  const owner = creatorId === OPERATOR ? null : creatorId;
  return {
    creatorId: owner,
    name,
    supportAddress,
    supportUrl,
    accent,
    logo,
    productLinks: [...productLinks],
    allowsNewKeys,
    updatedAt,
  };
}
