/** Reads a request's body, 64 KiB at most. */
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { IncomingMessage } from '../node-http.ts';
import { type Refusal, refuse } from '../refusals.ts';

const MAXIMUM_BYTES = 64 * 1024;
/** What is read and thrown away of a larger body, so that its sender can still read the answer. */
const MAXIMUM_DRAINED_BYTES = 16 * 1024 * 1024;

/** The body's text ('' where there is none), or why it is refused. Called once. */
export type OnBody = (text: string, refusal?: Refusal) => void;

/**
 * A request as the sockets of the service receive it. As a stream its body would come through a buffer, events and turns of
 * their own; here the parser's pieces, nearly always one, go straight to whoever reads the body. Bodies that nobody reads
 * stay streams, which node empties by itself.
 */
export class ReceivedRequest extends IncomingMessage {
  /** Whether its answer may be long: no other call of its connection begins then before the answer has been taken. */
  mayBeLong = false;
  #take: ((piece: Buffer | null) => void) | null = null;

  /** Hands over each piece of the body, and null after the last. */
  takeBody(take: (piece: Buffer | null) => void): void {
    // A request that had to wait for its turn may have been parsed meanwhile.
    if (this.complete || this.readableLength > 0) {
      this.on('data', take);
      this.on('end', () => take(null));
      return;
    }
    this.#take = take;
    // Tells node that somebody reads the body.
    this.read(0);
  }

  /** Whether the body was read to its end. */
  get isBodyTaken(): boolean {
    return this.#take !== null && this.complete;
  }

  /** What node's parser calls with each piece, and null after the last. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#take === null) return super.push(piece, encoding);
    this.#take(piece);
    return true;
  }
}

const { get: isStreamEnded } = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded') ?? {};
// Node asks so before it lets go of a request. In the class the types would not have it: they call it no accessor.
Object.defineProperty(ReceivedRequest.prototype, 'readableEnded', {
  get(this: ReceivedRequest) {
    return this.isBodyTaken || isStreamEnded?.call(this);
  },
});

/** Reads the whole body; a connection that breaks in the middle is answered to nobody (and node reports no error then). */
export function readBody(request: ReceivedRequest, onBody: OnBody): void {
  const pieces: Buffer[] = [];
  let length = 0;
  request.takeBody((piece) => {
    if (piece !== null) {
      length += piece.length;
      if (length <= MAXIMUM_BYTES) pieces.push(piece);
      else if (length > MAXIMUM_DRAINED_BYTES) request.destroy();
      return;
    }
    if (length > MAXIMUM_BYTES) return onBody('', refuse('body_too_large'));
    const [first] = pieces;
    const body = pieces.length === 1 && first ? first : Buffer.concat(pieces);
    return isUtf8(body) ? onBody(body.toString('utf8')) : onBody('', refuse('bad_json'));
  });
}

/** A body's text as a record, or why it is refused. No body at all is an empty one: its fields are missing. */
export function parseBody(text: string): { record: Readonly<Record<string, unknown>> } | { refusal: Refusal } {
  if (text === '') return { record: {} };
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return { record: body as Record<string, unknown> };
    return { refusal: refuse('body_not_object') };
  } catch {
    return { refusal: refuse('bad_json') };
  }
}
