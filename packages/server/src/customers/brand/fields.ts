/** A brand as endpoints show it. */
import Type from 'typebox';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import { nullable, resource, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { OPERATOR, type WholeBrand } from './brand.ts';

const optionalText = (description: string) => nullable(Type.String({ description }));

export const brandCreatorField = text(
  "Whose brand: a creator's id. The operator's own without it. An API key reaches that of its creator only.",
);

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
  updatedAt,
}: WholeBrand): ReplyOf<typeof brandSchema> {
  const owner = creatorId === OPERATOR ? null : creatorId;
  return { creatorId: owner, name, supportAddress, supportUrl, accent, logo, updatedAt };
}
