/**
 * Texts that many replies share: each is kept in memory once in every form that may be sent, and compressed once. A
 * reply then costs only the piece of the text that is on its way.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A form of a text or a file for sending. */
export interface Form {
  /** Value of `Content-Encoding`; null for the uncompressed text. */
  readonly encoding: string | null;
  readonly body: Buffer;
}

/** The forms of a text: compressed ones first, the plain text last. */
export type SharedText<Sent extends Form = Form> = readonly [...Sent[], Sent];

/** Returns a text without compressed forms, for a text that is short or rarely requested. */
export function plainText(text: string): SharedText {
  return [{ encoding: null, body: Buffer.from(text) }];
}

/** Returns a text with its compressed forms. */
export async function compressedText(text: string): Promise<SharedText> {
  const body = Buffer.from(text);
  // A tenth of the time of the best compression, and a few percent longer.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, gz] = await Promise.all([promisify(brotliCompress)(body, { params }), promisify(gzip)(body)]);
  return [
    { encoding: 'br', body: br },
    { encoding: 'gzip', body: gz },
    { encoding: null, body },
  ];
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
