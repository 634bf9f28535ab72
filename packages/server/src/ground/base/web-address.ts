/**
 * Addresses of the web as people and programs give them. The URL standard drops tabs and line breaks and rewrites other
 * characters, so an address that is kept as it was given may show something else than it leads to.
 */

/** The rest of a sentence that begins with the name of a field or a variable. */
export const NO_CONTROL_CHARACTERS = 'must have no control characters, such as tabs and line breaks';

/** Returns whether the URL standard would drop or rewrite a control character of a text. */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** The address that requests and links really lead to. @throws if the text is no address */
export function asUnderstood(text: string): string {
  return new URL(text).href;
}

/** Whether a link leads to an https address: without a password, and without characters that nobody sees. */
export function isHttpsAddress(text: string): boolean {
  if (hasControlCharacter(text) || /[\s\p{Cf}]/u.test(text)) return false;
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}
