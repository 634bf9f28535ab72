/**
 * The file request of an app without a connection (docs/apps/offline.md): text between two marker lines. It proves
 * nothing, so its content is validated like fields of the HTTP request itself.
 */
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { repairedName } from '../../ground/base/typed-text.ts';
import { LONGEST_LICENSE_KEY, LONGEST_MACHINE_NAME } from '../../platform/endpoint/field-types.ts';

/** Text that the database can store. */
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\0]+$' });

const requestSchema = Type.Object({
  v: Type.Literal(1),
  productId: text(255),
  licenseKey: text(LONGEST_LICENSE_KEY),
  fingerprint: text(512),
  hostname: Type.String({ minLength: 1 }),
});

/** The request of an app: a file of this license for this machine. */
export type FileRequest = Readonly<Static<typeof requestSchema>>;

const fits = Compile(requestSchema);

/** Maximum length of a request in characters. */
export const MAX_REQUEST_CHARACTERS = 8192;

/** Reads a request; null for text that is not a request. */
export function readFileRequest(given: string): FileRequest | null {
  const [, body] = /-----BEGIN LATCHKEY REQUEST-----([\w\s=-]*?)-----END LATCHKEY REQUEST-----/.exec(given) ?? [];
  if (body === undefined) return null;
  try {
    const read: unknown = JSON.parse(Buffer.from(body.replace(/\s/g, ''), 'base64url').toString());
    if (!fits.Check(read)) return null;
    const request = { ...read, hostname: repairedName(read.hostname, LONGEST_MACHINE_NAME) };
    // Databases cannot store half of a surrogate pair, which JSON can contain.
    return Object.values(request).every(isStorable) ? request : null;
  } catch {
    return null;
  }
}

function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || value.isWellFormed();
}
