/**
 * Texts that many replies share: each is kept in memory once in every form that may be sent, and compressed once. A
 * reply then costs only the piece of the text that is on its way.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A form of a text or a file for sending. */
export interface Form {
  /** Value of `Content-Encoding`; null for the uncompressed text. */
  readonly encoding: string | null;
  readonly body: Buffer;
  /** Names these bytes in `ETag`; null if clients shall not ask whether they changed. */
  readonly etag: string | null;
}

/** The forms of a text: compressed ones first, the plain text last. */
export type SharedText<Sent extends Form = Form> = readonly [...Sent[], Sent];

/** Returns a text without compressed forms, for a text that is short or rarely requested. */
export function plainText(text: string): SharedText {
  return [untagged(Buffer.from(text))];
}

/** Returns bytes as a form that has no entity tag. */
export function untagged(body: Buffer): Form {
  return { encoding: null, body, etag: null };
}

/** Returns bytes as a form with an entity tag. */
export function tagged(body: Buffer, encoding: string | null): Form & { readonly etag: string } {
  return { encoding, body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** Returns a text with its compressed forms, each with an entity tag. */
export async function compressedText(text: string): Promise<SharedText> {
  const body = Buffer.from(text);
  // A tenth of the time of the best compression, and a few percent longer.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, gz] = await Promise.all([promisify(brotliCompress)(body, { params }), promisify(gzip)(body)]);
  return [tagged(br, 'br'), tagged(gz, 'gzip'), tagged(body, null)];
}

/** Whether a client has these bytes, by the header `If-None-Match` of its request. */
export function isKept({ etag }: Form, ifNoneMatch: string | undefined): boolean {
  const kept = (ifNoneMatch ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return etag !== null && kept.includes(etag);
}

/** Returns the form for a client, by the header `Accept-Encoding` of its request. */
export function formFor<Sent extends Form>(forms: SharedText<Sent>, accepted: string | string[] | undefined): Sent {
  const header = String(accepted ?? '');
  return forms.find(({ encoding }) => encoding === null || accepts(header, encoding)) as Sent;
}

/** Whether an `Accept-Encoding` header names an encoding and does not weigh it with 0. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
