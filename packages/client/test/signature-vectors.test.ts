/** Both verifications of the client against the vectors that the clients of all languages share. */
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { webCryptoVerify } from '../src/license-file.ts';

interface Case {
  readonly name: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
  readonly result: 'valid' | 'invalid' | 'either';
}

const path = new URL('../../../clients/conformance/vectors/ed25519.json', import.meta.url);
const cases: readonly Case[] = JSON.parse(readFileSync(path, 'utf8')).cases;
const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

/** Refuses a key that cannot be read, as the client does. */
async function accepted(attempt: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await attempt();
  } catch {
    return false;
  }
}

it('every signature is judged as its vector says', async () => {
  assert.ok(cases.length >= 70);
  for (const { name, publicKey, message, signature, result } of cases) {
    const x = bytesOf(publicKey).toString('base64url');
    const inBrowsers = await accepted(() => webCryptoVerify(x, bytesOf(message), bytesOf(signature)));
    const inNode = await accepted(() =>
      verify(
        null,
        bytesOf(message),
        createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
        bytesOf(signature),
      ),
    );
    if (result === 'either') continue;
    assert.deepEqual([inBrowsers, inNode], [result === 'valid', result === 'valid'], name);
  }
});
