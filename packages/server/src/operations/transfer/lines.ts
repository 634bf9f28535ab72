/** Splits a stream of bytes into lines of bounded length. */
import { LONGEST_LINE } from './format.ts';

/** A line, or its fault. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: number;
  readonly read: { readonly text: string } | { readonly fault: string };
}

const NEW_LINE = 0x0a;

/**
 * The lines of a stream, without their line ends. A line that is too long is skipped without being kept; one that is
 * not UTF-8 has a fault. An empty rest after the last line end is not a line.
 *
 * @param longest maximum length in bytes
 */
export async function* linesOf(source: AsyncIterable<Uint8Array>, longest = LONGEST_LINE): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let kept: Uint8Array[] = [];
  let bytes = 0;
  let number = 0;
  const take = (part: Uint8Array) => {
    bytes += part.length;
    // A line over the limit is only counted.
    if (bytes > longest) kept = [];
    else kept.push(part);
  };
  const line = (): Line => {
    number += 1;
    const made = { number, bytes, read: readLine(decoder, kept, bytes, longest) };
    kept = [];
    bytes = 0;
    return made;
  };
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, from)) {
      take(chunk.subarray(from, end));
      yield line();
      from = end + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  }
  if (bytes > 0) yield line();
}

/**
 * The beginning of a stream up to its first line end, and the whole stream. The beginning ends at the limit of a line.
 */
export async function peekFirstLine(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly firstLine: string; readonly isUtf16: boolean; readonly whole: AsyncIterable<Uint8Array> }> {
  const chunks = source[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (let isLineComplete = false; !isLineComplete && bytes < LONGEST_LINE; ) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    read.push(value);
    bytes += value.length;
    isLineComplete = value.includes(NEW_LINE);
  }
  const beginning = Buffer.concat(read);
  const [firstLine = ''] = new TextDecoder().decode(beginning).split(/[\r\n]/, 1);
  async function* whole() {
    yield* read;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return { firstLine, isUtf16: isUtf16(beginning), whole: whole() };
}

function readLine(decoder: TextDecoder, parts: readonly Uint8Array[], bytes: number, longest: number): Line['read'] {
  if (bytes > longest) return { fault: `is longer than ${longest} bytes` };
  try {
    return {
      text: decoder
        .decode(Buffer.concat(parts))
        .replace(/^\uFEFF/, '')
        .replace(/\r$/, ''),
    };
  } catch {
    return { fault: 'is not UTF-8' };
  }
}

/** Whether a text is UTF-16, by its byte order mark or by the zeros in its ASCII letters. */
function isUtf16(beginning: Uint8Array): boolean {
  const [first, second, third, fourth] = beginning;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (second === 0 && fourth === 0) || (first === 0 && third === 0);
}
