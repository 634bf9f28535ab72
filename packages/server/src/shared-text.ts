/**
 * Texts that many are answered with: in memory once, in each form in which they may be sent, and compressed once. What an
 * answer costs is then the piece of it that is on its way.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A form in which a text or a file is sent. */
export interface Form {
  /** As `Content-Encoding` names it; null for the text as it is. */
  readonly encoding: string | null;
  readonly body: Buffer;
}

/** The forms of a text: compressed ones first, the text as it is last. */
export type SharedText<Sent extends Form = Form> = readonly [...Sent[], Sent];

/** A text that is short, or asked for too rarely to compress it. */
export function plainText(text: string): SharedText {
  return [{ encoding: null, body: Buffer.from(text) }];
}

/** The same, compressed. */
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

/** The form for a reader, by the header `Accept-Encoding` of the request. */
export function formFor<Sent extends Form>(forms: SharedText<Sent>, accepted: string | string[] | undefined): Sent {
  const header = String(accepted ?? '');
  return forms.find(({ encoding }) => encoding === null || accepts(header, encoding)) as Sent;
}

/** Whether a header `Accept-Encoding` names an encoding and does not weigh it with 0. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
