/**
 * What an app without a connection writes for whoever makes its file (docs/offline.md): a text between two lines. It asks
 * and proves nothing, so that everything in it is looked at as if it stood in the request itself.
 */
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** A text that can be stored. */
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\0]+$' });

const requestSchema = Type.Object({
  v: Type.Literal(1),
  productId: text(255),
  licenseKey: text(100),
  fingerprint: text(512),
  hostname: text(255),
});

/** What an app asks for: a file of this license for this machine. */
export type FileRequest = Readonly<Static<typeof requestSchema>>;

const fits = Compile(requestSchema);

/** The longest text of a request. */
export const MOST_REQUEST_CHARACTERS = 8192;

/** Reads a request; null for what is none. */
export function readFileRequest(given: string): FileRequest | null {
  const [, body] = /-----BEGIN LATCHKEY REQUEST-----([\w\s=-]*?)-----END LATCHKEY REQUEST-----/.exec(given) ?? [];
  if (body === undefined) return null;
  try {
    const read: unknown = JSON.parse(Buffer.from(body.replace(/\s/g, ''), 'base64url').toString());
    // Databases cannot hold half of a surrogate pair, which JSON can write.
    return fits.Check(read) && Object.values(read).every(isStorable) ? read : null;
  } catch {
    return null;
  }
}

function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || value.isWellFormed();
}
