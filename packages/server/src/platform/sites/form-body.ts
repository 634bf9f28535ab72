/** Reads the body of a form: `application/x-www-form-urlencoded` in UTF-8, with 20 fields at most. */

/** The media type of forms. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Maximum length of a form in bytes. */
export const MAX_FORM_BYTES = 16 * 1024;
const MAX_FIELDS = 20;

/**
 * The fields of a form; null if it is damaged: more fields, a field twice, percent signs without a character, bytes
 * that are not UTF-8. Pages of the service never send such a form.
 */
export function readForm(body: Buffer): Readonly<Record<string, string>> | null {
  const text = body.toString('latin1');
  if (text === '') return {};
  const pairs = text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) return null;
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const [name, value] = pair.split(/=(.*)/s, 2).map(decoded);
    if (name === null || name === undefined || value === null || fields.has(name)) return null;
    fields.set(name, value ?? '');
  }
  return Object.fromEntries(fields);
}

function decoded(text: string): string | null {
  // Browsers escape every byte above 0x7f.
  if (!/^[\x20-\x7e]*$/.test(text)) return null;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Whether a Content-Type leaves the charset out or names UTF-8. */
export function hasUtf8Charset(contentType: string | undefined): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType ?? '')?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}
