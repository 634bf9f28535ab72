/** Reads a request's body, 64 KiB at most. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../refusals.ts';

const MAXIMUM_BYTES = 64 * 1024;
/** What is read and thrown away of a larger body, so that its sender can still read the answer. */
const MAXIMUM_DRAINED_BYTES = 16 * 1024 * 1024;

/** The body's text ('' where there is none), or why it is refused. Called once. */
export type OnBody = (text: string, refusal?: Refusal) => void;

/** Reads the whole body; a connection that breaks in the middle is answered to nobody (and node reports no error then). */
export function readBody(request: IncomingMessage, onBody: OnBody): void {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= MAXIMUM_BYTES) chunks.push(chunk);
    else if (length > MAXIMUM_DRAINED_BYTES) request.destroy();
  });
  request.on('end', () => {
    if (length > MAXIMUM_BYTES) return onBody('', refuse('body_too_large'));
    const [first] = chunks;
    const body = chunks.length === 1 && first ? first : Buffer.concat(chunks);
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
