/** Finding a key by its hash: page by page, first among API keys, then among those of the operator's people. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { findKey } from '../../src/keys/find-key.ts';

const realFetch = globalThis.fetch;

/** Answers lists of keys by page; the cursor is the number of the page. Answers what was asked for, too. */
function serve(pages: Readonly<Record<string, readonly (readonly object[])[]>>): string[] {
  const asked: string[] = [];
  globalThis.fetch = async (address, options) => {
    const { cursor = '0' } = JSON.parse(String(options?.body));
    const lists = pages[String(address)] ?? [];
    asked.push(`${address} ${cursor}`);
    const next = Number(cursor) + 1;
    const reply = {
      success: true,
      keys: lists[Number(cursor)] ?? [],
      ...(next < lists.length ? { nextCursor: String(next) } : {}),
    };
    return new Response(JSON.stringify(reply));
  };
  return asked;
}

describe('a key', () => {
  afterEach(() => {
    globalThis.fetch = realFetch;
  });

  it('is found on any page, and none is read after it', async () => {
    const asked = serve({ '/listApiKeys': [[{ hash: 'a' }], [{ hash: 'b' }], [{ hash: 'c' }]] });
    assert.deepEqual(await findKey('b'), { kind: 'api', key: { hash: 'b' } });
    assert.deepEqual(asked, ['/listApiKeys 0', '/listApiKeys 1']);
  });

  it("is looked for among those of the operator's people, too", async () => {
    serve({ '/listApiKeys': [[{ hash: 'a' }]], '/listOperatorKeys': [[], [{ keyHash: 'b' }]] });
    assert.deepEqual(await findKey('b'), { kind: 'people', key: { keyHash: 'b' } });
  });

  it('is not found where nobody has it', async () => {
    const asked = serve({ '/listApiKeys': [[{ hash: 'a' }]], '/listOperatorKeys': [[{ keyHash: 'b' }]] });
    assert.equal(await findKey('c'), null);
    assert.deepEqual(asked, ['/listApiKeys 0', '/listOperatorKeys 0']);
  });
});
