import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SELLERS } from '../../../../scripts/shops/sellers/sellers.ts';
import { SOURCE_NAMES, SOURCES } from '../../../../src/commerce/connectors/sources/source-list.ts';
import { sources } from '../../../architecture/sources.ts';

const FOLDER = 'commerce/connectors/sources/';
const files = sources.filter(({ path }) => path.startsWith(FOLDER));

describe('a source of a seller', () => {
  it('imports neither storage, clock nor network: its own folder, node:crypto and the reader of addresses only', () => {
    assert.ok(files.length > 5);
    for (const { path, code } of files)
      for (const [, from = ''] of code.matchAll(/\bfrom '([^']+)'/g))
        assert.match(from, /^(?:\.\/[a-z-]+\.ts|node:crypto|\.\.\/\.\.\/\.\.\/ground\/base\/typed-text\.ts)$/, path);
  });

  it('reads neither clock nor environment, and loads nothing while it runs', () => {
    for (const { path, code } of files)
      assert.doesNotMatch(code, /\bnew Date\(\s*\)|Date\.now|\bfetch\(|\bprocess\.|\bimport\(|\brequire\(/, path);
  });

  it('names the place of the address in its steps, and that of the secret where the vendor types one', () => {
    for (const { name, secret, steps } of SOURCES) {
      const places = (part: string) => steps.join('\n').split(part).length - 1;
      assert.deepEqual([places('{url}'), places('{secret}')], [1, secret === 'typed' ? 1 : 0], name);
    }
  });

  it('has a stand-in, which the stories of sales play', () => {
    const played = Object.values(SELLERS).map((make) => make({ number: 1, email: 'zoe@example.com' }).source);
    assert.deepEqual(new Set(played), new Set(SOURCES));
  });

  it('is known to no other file of the room: facts alone say what a seller told', () => {
    const sellers = new RegExp(SOURCE_NAMES.join('|'), 'i');
    const others = sources.filter(({ path }) => path.startsWith('commerce/connectors/') && !path.startsWith(FOLDER));
    for (const { path, code } of others) assert.doesNotMatch(code, sellers, path);
    const facts = files.find(({ path }) => path.endsWith('/facts.ts'));
    assert.doesNotMatch(facts?.code ?? '', sellers);
  });
});
