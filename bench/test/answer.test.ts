import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AnswerFramer } from '../src/answer.ts';

function answer(status: number, body: string, moreHeaders = ''): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status} Text\r\nContent-Type: application/json\r\n${moreHeaders}Content-Length: ${body.length}\r\n` +
      `Connection: keep-alive\r\n\r\n${body}`,
  );
}

function bodyIn(framer: AnswerFramer, bytes: Buffer): string {
  return bytes.toString('utf8', framer.bodyStart, framer.end);
}

describe('framing answers', () => {
  it('finds status, body and end after any earlier bytes on the connection', () => {
    const framer = new AnswerFramer();
    const answers: [number, string, string][] = [
      [200, '{"valid":true}', ''],
      [200, '{"valid":true}', ''],
      [404, '{"valid":false}', ''],
      [200, `{"email":"${'x'.repeat(200)}"}`, ''],
      [200, '{}', ''],
      [200, '{"valid":true}', 'X-Request-Id: 17\r\n'],
      [429, '{"success":false}', 'Retry-After: 3600\r\n'],
      [200, '', ''],
    ];
    for (const [status, body, moreHeaders] of answers) {
      const bytes = answer(status, body, moreHeaders);
      assert.equal(framer.frame(bytes, bytes.length), true);
      assert.equal(framer.status, status);
      assert.equal(bodyIn(framer, bytes), body);
      assert.equal(framer.end, bytes.length);
    }
  });

  it('waits for the rest of an answer wherever it is cut, known layout or not', () => {
    const known = new AnswerFramer();
    const bytes = answer(200, '{"valid":true}');
    known.frame(bytes, bytes.length);
    for (let length = 1; length < bytes.length; length += 1) {
      // The bytes after `length` belong to an earlier response and must not be read.
      assert.equal(known.frame(bytes, length), false, `known, ${length} bytes`);
      assert.equal(new AnswerFramer().frame(bytes, length), false, `new, ${length} bytes`);
    }
  });

  it('sees that more came than one answer', () => {
    const one = answer(200, '{"valid":true}');
    const two = Buffer.concat([one, one]);
    const framer = new AnswerFramer();
    assert.equal(framer.frame(two, two.length), true);
    assert.equal(framer.end, one.length);
  });

  it('refuses an answer without a content length, and bytes that are no answer', () => {
    for (const text of ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'SSH-2.0-OpenSSH\r\n\r\n']) {
      assert.throws(() => new AnswerFramer().frame(Buffer.from(text), text.length), /not an answer/);
    }
  });
});
