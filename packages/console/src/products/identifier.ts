/** The identifier of a product: what apps, storefronts and addresses call it. */

const FORM = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;
const LONGEST = 255;

/** An identifier that a name suggests: "Tape Head 2" is `tape-head-2`; '' where nothing is left of it. */
export function identifierFor(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST);
}

/** What is wrong with an identifier; null where the service takes it. */
export function identifierFault(identifier: string): string | null {
  if (identifier.length > LONGEST) return `At most ${LONGEST} characters.`;
  return FORM.test(identifier)
    ? null
    : 'Letters, digits, hyphens, dots, underscores and tildes; a letter or digit first.';
}
