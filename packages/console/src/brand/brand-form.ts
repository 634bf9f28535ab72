/** The form of a brand: pure. */
import type { Brand, UpdateBrandRequest } from '../api/contract.ts';
import type { Refusal } from '../api/refusal.ts';

/** The fields as typed; '' without a value. */
export interface BrandForm {
  readonly name: string;
  readonly supportAddress: string;
  readonly supportUrl: string;
  /** `#rrggbb`. */
  readonly accent: string;
  /** Base64. */
  readonly logo: string;
  readonly productLinks: readonly LinksForm[];
  readonly allowsNewKeys: boolean;
}

/** The links of one product as typed; '' without a value. */
export interface LinksForm {
  readonly productId: string;
  readonly download: string;
  readonly renew: string;
  readonly receipt: string;
}

/** The kinds of links, each with its label. */
export const LINK_LABELS = { download: 'Download', renew: 'Renew', receipt: 'Receipts' } as const;
const LINK_KINDS = ['download', 'renew', 'receipt'] as const;

/** A new line of the form. */
export const EMPTY_LINKS: LinksForm = { productId: '', download: '', renew: '', receipt: '' };

export type BrandField = keyof BrandForm;

/** The label of each field. */
export const LABELS: Readonly<Record<BrandField, string>> = {
  name: 'Name',
  supportAddress: 'Support address',
  supportUrl: 'Support page',
  accent: 'Colour',
  logo: 'Logo',
  productLinks: 'Links of products',
  allowsNewKeys: 'Customers may get a new key',
};

/** The colour of pages without a brand. */
export const DEFAULT_ACCENT = '#0b6a5b';
/** The maximum size of a logo in bytes, as the service has it. */
export const LARGEST_LOGO = 32 * 1024;

/** The form of a stored brand; empty before the first one. */
export function formOf(brand: Brand | null): BrandForm {
  return {
    name: brand?.name ?? '',
    supportAddress: brand?.supportAddress ?? '',
    supportUrl: brand?.supportUrl ?? '',
    accent: brand?.accent ?? '',
    logo: brand?.logo?.data ?? '',
    productLinks: (brand?.productLinks ?? []).map(({ productId, download, renew, receipt }) => ({
      ...{ productId, download: download ?? '', renew: renew ?? '', receipt: receipt ?? '' },
    })),
    allowsNewKeys: brand?.allowsNewKeys ?? false,
  };
}

/**
 * The request that stores a form in place of the brand that the person saw: the name, and the other fields that differ.
 * Null while the name is missing.
 *
 * @param owner '' for the operator, or for the creator who is signed in
 */
export function updateRequest(brand: Brand | null, form: BrandForm, owner: string): UpdateBrandRequest | null {
  const name = form.name.trim();
  if (name === '') return null;
  const before = formOf(brand);
  const changes: Writable<Omit<UpdateBrandRequest, 'name' | 'creatorId' | 'wasUpdatedAt'>> = {};
  for (const field of ['supportAddress', 'supportUrl', 'accent', 'logo'] as const) {
    const value = form[field].trim();
    if (value !== before[field]) changes[field] = value === '' ? null : value;
  }
  const links = linksIn(form);
  if (JSON.stringify(links) !== JSON.stringify(linksIn(before))) changes.productLinks = links;
  if (form.allowsNewKeys !== before.allowsNewKeys) changes.allowsNewKeys = form.allowsNewKeys;
  return { ...(owner === '' ? {} : { creatorId: owner }), name, ...changes, wasUpdatedAt: brand?.updatedAt ?? null };
}

type Writable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] };

/** The links of a form for a request: without empty lines, null for an empty link. */
function linksIn({ productLinks }: BrandForm): NonNullable<UpdateBrandRequest['productLinks']> {
  return productLinks
    .map(({ productId, ...links }) => ({
      productId: productId.trim(),
      ...Object.fromEntries(LINK_KINDS.map((kind) => [kind, links[kind].trim() === '' ? null : links[kind].trim()])),
    }))
    .filter(({ productId }) => productId !== '');
}

/** The field that the service refused, and the reason as a sentence; null if the refusal is about no field. */
export function faultOf({
  code,
  message,
}: Pick<Refusal, 'code' | 'message'>): { field: BrandField; why: string } | null {
  if (code !== 'invalid_field') return null;
  const field = (Object.keys(LABELS) as BrandField[]).find((each) => new RegExp(`\\b${each}\\b`).test(message));
  if (field === undefined) return null;
  const why = message
    .replace(field, LABELS[field])
    .replace(/\[(\d+)\]\.(\w+)/, (_, index, link) => `, number ${Number(index) + 1}: ${link}`);
  return { field, why: `${why}.` };
}

/** True for a colour of the form `#rrggbb`. */
export function isColour(text: string): boolean {
  return /^#[\da-f]{6}$/i.test(text);
}

/** The text colour on an accent that pages of customers take, `black` or `white`: the one with more contrast. */
export function textOn(accent: string): 'black' | 'white' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(accent.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  // Both have the same contrast where (1.05 / (x + 0.05)) = ((x + 0.05) / 0.05).
  return luminance > Math.sqrt(1.05 * 0.05) - 0.05 ? 'black' : 'white';
}

/** Why a file cannot be the logo; null if it can. The service checks its kind. */
export function fileFault(bytes: number): string | null {
  if (bytes <= LARGEST_LOGO) return null;
  return `The picture has ${Math.ceil(bytes / 1024)} KiB. At most ${LARGEST_LOGO / 1024} KiB are possible.`;
}

/** Bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** The bytes of base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
