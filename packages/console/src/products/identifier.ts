/** The identifier of a product, which apps, storefronts and addresses use. */

const FORM = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;
const LONGEST = 255;

/** An identifier suggested by a name: `tape-head-2` for "Tape Head 2"; '' if nothing is left of the name. */
export function identifierFor(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST);
}

/** The error in an identifier; null if the service accepts it. */
export function identifierFault(identifier: string): string | null {
  if (identifier.length > LONGEST) return `At most ${LONGEST} characters.`;
  return FORM.test(identifier)
    ? null
    : 'Letters, digits, hyphens, dots, underscores and tildes; a letter or digit first.';
}
