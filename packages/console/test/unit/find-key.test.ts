/** Finding a key by its hash: the console searches API keys and operator keys. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { findKey } from '../../src/keys/find-key.ts';

const realFetch = globalThis.fetch;

/** Serves the keys of each list that match the requested hash. Returns the recorded requests. */
function serve(
  lists: Readonly<Record<string, readonly { readonly hash?: string; readonly keyHash?: string }[]>>,
): string[] {
  const asked: string[] = [];
  globalThis.fetch = async (address, options) => {
    const { hash } = JSON.parse(String(options?.body));
    const path = String(address).replace('..', '');
    asked.push(`${path} ${hash}`);
    const keys = (lists[path] ?? []).filter((key) => (key.hash ?? key.keyHash) === hash);
    return new Response(JSON.stringify({ success: true, keys }));
  };
  return asked;
}

describe('a key', () => {
  afterEach(() => {
    globalThis.fetch = realFetch;
  });

  it('is found by one call to each list', async () => {
    const asked = serve({ '/listApiKeys': [{ hash: 'a' }, { hash: 'b' }], '/listOperatorKeys': [{ keyHash: 'c' }] });
    assert.deepEqual(await findKey('b'), { kind: 'api', key: { hash: 'b' } });
    assert.deepEqual(asked, ['/listApiKeys b', '/listOperatorKeys b']);
  });

  it("is looked for among those of the operator's people, too", async () => {
    serve({ '/listApiKeys': [{ hash: 'a' }], '/listOperatorKeys': [{ keyHash: 'b' }] });
    assert.deepEqual(await findKey('b'), { kind: 'people', key: { keyHash: 'b' } });
  });

  it('is not found where nobody has it', async () => {
    serve({ '/listApiKeys': [{ hash: 'a' }], '/listOperatorKeys': [{ keyHash: 'b' }] });
    assert.equal(await findKey('c'), null);
  });
});
