/** Reads a request's body within a bound, and JSON from it. */
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { IncomingMessage } from '../../ground/base/node-http.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';

/** The bound of a body of JSON. */
export const MAX_JSON_BYTES = 64 * 1024;
/** The part of a larger body that is read and discarded, so that its sender can still read the reply. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024;

/**
 * A request as the service's sockets receive it. As a stream, its body would pass through a buffer, with extra events
 * and event loop turns. Here the parser's pieces, nearly always one, go straight to the reader of the body. A body that
 * nobody reads stays a stream, which node drains by itself.
 */
export class ReceivedRequest extends IncomingMessage {
  /** True if the reply may be long. If so, no other call of the connection begins before the reply has been flushed. */
  mayBeLong = false;
  #take: ((piece: Buffer | null) => void) | null = null;

  /** Delivers each piece of the body, and null after the last. */
  takeBody(take: (piece: Buffer | null) => void): void {
    // A request that had to wait may have been parsed in the meantime.
    if (this.complete || this.readableLength > 0) {
      this.on('data', take);
      this.on('end', () => take(null));
      return;
    }
    this.#take = take;
    // Shows node that the body is being read.
    this.read(0);
  }

  get isBodyTaken(): boolean {
    return this.#take !== null && this.complete;
  }

  /** Called by node's parser with each piece, and with null after the last. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#take === null) return super.push(piece, encoding);
    this.#take(piece);
    return true;
  }
}

const { get: isStreamEnded } = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded') ?? {};
// Node checks this before it releases a request. It is defined here because the types reject it in the class: they do
// not declare it as an accessor.
Object.defineProperty(ReceivedRequest.prototype, 'readableEnded', {
  get(this: ReceivedRequest) {
    return this.isBodyTaken || isStreamEnded?.call(this);
  },
});

/**
 * Reads the whole body. If the connection breaks midway, there is nobody to reply to, and node reports no error.
 *
 * @param onBody called once with the bytes; null if there are more than `maxBytes`
 */
export function readBody(request: ReceivedRequest, maxBytes: number, onBody: (body: Buffer | null) => void): void {
  const pieces: Buffer[] = [];
  let length = 0;
  request.takeBody((piece) => {
    if (piece !== null) {
      length += piece.length;
      if (length <= maxBytes) pieces.push(piece);
      else if (length > MAX_DRAINED_BYTES) request.destroy();
      return;
    }
    if (length > maxBytes) return onBody(null);
    const [first] = pieces;
    onBody(pieces.length === 1 && first ? first : Buffer.concat(pieces));
  });
}

/** The text of a body, or the refusal. */
export function textOfBody(body: Buffer | null): string | Refusal {
  if (body === null) return refuse('body_too_large');
  return isUtf8(body) ? body.toString('utf8') : refuse('bad_json');
}

/**
 * Parses a text as a record, or refuses it. A missing body is an empty record, so its fields are reported as missing.
 */
export function parseRecord(text: string): { readonly record: Readonly<Record<string, unknown>> } | Refusal {
  if (text === '') return { record: {} };
  try {
    // Some programs write a byte order mark, which RFC 8259 lets a reader ignore.
    const body: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return { record: body as Record<string, unknown> };
    return refuse('body_not_object');
  } catch {
    return refuse('bad_json');
  }
}
