/** Lines are found at any chunk boundaries, and lines that are too long are not kept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Line, linesOf } from '../../../src/operations/transfer/lines.ts';

async function read(pieces: readonly Uint8Array[], longest?: number): Promise<Line[]> {
  async function* source() {
    yield* pieces;
  }
  return Array.fromAsync(linesOf(source(), longest));
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((each) => each.replace(/[\r\n\uFEFF]/g, ''));

describe('lines of a stream', () => {
  it('are the same for any cut of the stream', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text), fc.array(fc.nat(40)), fc.boolean(), async (lines, cuts, isWindows) => {
        const bytes = Buffer.from(lines.map((line) => `${line}${isWindows ? '\r\n' : '\n'}`).join(''));
        const pieces: Uint8Array[] = [];
        let from = 0;
        for (const cut of cuts) {
          pieces.push(bytes.subarray(from, from + cut));
          from += cut;
        }
        pieces.push(bytes.subarray(from));
        assert.deepEqual(
          (await read(pieces)).map(({ number, read: each }) => [number, each]),
          lines.map((line, index) => [index + 1, { text: line }]),
        );
      }),
    );
  });

  it('end with the stream, too', async () => {
    assert.deepEqual(await read([Buffer.from('one\ntwo')]), [
      { number: 1, bytes: 3, read: { text: 'one' } },
      { number: 2, bytes: 3, read: { text: 'two' } },
    ]);
    assert.deepEqual(await read([]), []);
  });

  it('that are too long or no text have a fault, and the next one is read', async () => {
    const long = Array.from({ length: 5 }, () => Buffer.from('12345'));
    assert.deepEqual(
      (await read([...long, Buffer.from('\nnext\n'), Buffer.from([0xc3, 0x28, 0x0a]), Buffer.from('last')], 10)).map(
        ({ read: each }) => each,
      ),
      [{ fault: 'is longer than 10 bytes' }, { text: 'next' }, { fault: 'is not UTF-8' }, { text: 'last' }],
    );
    assert.deepEqual(
      (await read([Buffer.from('1234567890\n')], 10)).map(({ read: each }) => each),
      [{ text: '1234567890' }],
    );
  });
});
