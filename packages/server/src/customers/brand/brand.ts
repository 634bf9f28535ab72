/** The brand of the pages for customers: the operator's, and one for each creator who has a shop (rules 13.7). */
import { hasControlCharacter, isHttpsAddress, NO_CONTROL_CHARACTERS } from '../../ground/base/web-address.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { contrastOf, isColour, MIN_ACCENT_CONTRAST } from './colour.ts';
import { type ProductLinks, refuseLinks } from './product-links.ts';

/** The key of the operator's brand. */
export const OPERATOR = '';

/** A brand without its logo. */
export interface Brand {
  /** {@link OPERATOR}, or the creator. */
  readonly creatorId: string;
  readonly name: string;
  readonly supportAddress: string | null;
  readonly supportUrl: string | null;
  /** `#rrggbb` in lower case. */
  readonly accent: string | null;
  /** Whether customers give their licenses new keys at /my. */
  readonly allowsNewKeys: boolean;
  readonly updatedAt: string;
}

/** A picture. */
export interface Logo {
  /** Its media type. */
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

/** A brand with its logo and the links of products. */
export interface WholeBrand extends Brand {
  readonly logo: Logo | null;
  readonly productLinks: readonly ProductLinks[];
}

/** Maximum size of a logo: a page with its styles must stay small. */
const LARGEST_LOGO = 32 * 1024;
/** Length of the largest logo in base64. */
export const LONGEST_LOGO_TEXT = 4 * Math.ceil(LARGEST_LOGO / 3);

const invalid = (message: string) => refuse('invalid_field', { details: { message } });

/** The media type of a picture by its first bytes; null for anything else. */
function pictureType(bytes: Buffer): string | null {
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'image/png';
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'image/jpeg';
  const isRiff = bytes.subarray(0, 4).toString('latin1') === 'RIFF';
  return isRiff && bytes.subarray(8, 12).toString('latin1') === 'WEBP' ? 'image/webp' : null;
}

/** Reads a logo from base64; refuses anything but a small picture. */
export function readLogo(text: string): Logo | Refusal<'invalid_field'> {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return invalid('logo must be base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > LARGEST_LOGO) return invalid('logo must have at most 32 KiB');
  const type = pictureType(bytes);
  return type === null ? invalid('logo must be a PNG, JPEG or WebP picture') : { type, data: bytes.toString('base64') };
}

/** Refuses the first field that cannot be shown; null if all can. */
export function refuseBrand({
  name,
  supportAddress,
  supportUrl,
  accent,
  productLinks,
}: Partial<Omit<WholeBrand, 'logo'>>): Refusal<'invalid_field'> | null {
  // Marks of writing direction would turn the text around the name.
  if (name !== undefined && (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) || name.trim() !== name))
    return invalid('name must have no control characters, no marks of writing direction, and no blanks at its ends');
  if (supportAddress && !/^[^\s@<>()[\],;:"\\\p{Cc}\p{Cf}]+@[^\s@<>()[\],;:"\\\p{Cc}\p{Cf}]+$/u.test(supportAddress))
    return invalid('supportAddress must be a plain e-mail address');
  if (supportUrl && hasControlCharacter(supportUrl)) return invalid(`supportUrl ${NO_CONTROL_CHARACTERS}`);
  if (supportUrl && !isHttpsAddress(supportUrl)) return invalid('supportUrl must be an https address');
  const wrongLink = refuseLinks(productLinks ?? []);
  if (wrongLink !== null || !accent) return wrongLink;
  if (!isColour(accent)) return invalid('accent must be a colour such as #1a5fb4');
  for (const [ground, of] of [
    ['#ffffff', 'white'],
    ['#000000', 'black'],
  ] as const) {
    const contrast = contrastOf(accent, ground);
    if (contrast < MIN_ACCENT_CONTRAST)
      return invalid(
        `accent must have a contrast of at least ${MIN_ACCENT_CONTRAST} with ${of}; it has ${(Math.floor(contrast * 100) / 100).toFixed(2)}`,
      );
  }
  return null;
}
