/** Documents are compressed once, for all callers that accept it, and hold the same text in each form. */
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startApp, type TestApp } from '../../support/app.ts';
import { requestBytes, Wire } from '../http/wire.ts';

describe('a document', () => {
  let app: TestApp;
  before(async () => (app = await startApp('sqlite')));
  after(() => app.stop());

  /** The headers of a reply and its body as bytes, in any encoding. */
  async function get(path: string, accepted?: string, method = 'GET') {
    const response = await new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
      {
        const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
        request({ host: '127.0.0.1', port: app.port, path, method, headers, rejectUnauthorized: false }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
        })
          .on('error', reject)
          .end();
      }
    });
    const { 'content-encoding': encoding, 'content-length': length, vary } = response.headers;
    return { encoding, length: Number(length), vary, body: response.body };
  }

  for (const path of ['/docs', '/docs/integrating', '/openapi.json', '/openapi-3.0.json'])
    it(`${path} is the same text in each encoding, and varies by Accept-Encoding`, async () => {
      const plain = await get(path);
      assert.deepEqual([plain.encoding, plain.vary, plain.length], [undefined, 'Accept-Encoding', plain.body.length]);
      const br = await get(path, 'gzip, deflate, br');
      assert.deepEqual([br.encoding, br.vary], ['br', 'Accept-Encoding']);
      assert.ok(br.length * 3 < plain.length && br.length === br.body.length);
      assert.deepEqual(brotliDecompressSync(br.body), plain.body);
      const gzip = await get(path, 'gzip, br;q=0');
      assert.deepEqual([gzip.encoding, gunzipSync(gzip.body).equals(plain.body)], ['gzip', true]);
      const head = await get(path, 'br', 'HEAD');
      assert.deepEqual([head.encoding, head.length, head.body.length], ['br', br.length, 0]);
    });

  it('that is asked for by HEAD leaves its connection in order', async () => {
    const wire = await Wire.open(app.port);
    wire.write(
      Buffer.concat([requestBytes('/docs', '', { method: 'HEAD' }), requestBytes('/healthz', '', { method: 'GET' })]),
    );
    assert.equal((await wire.answer({ method: 'HEAD' })).status, 200);
    assert.equal((await wire.answer()).status, 200);
    wire.end();
  });
});
