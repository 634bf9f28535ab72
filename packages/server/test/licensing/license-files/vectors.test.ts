/** docs/vectors/license-files.json, and the program of docs/apps/license-files.md that must agree with it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { exportsOf, readLicenseFile } from './reading.ts';
import { type Vectors, vectorsText } from './vectors.ts';

const FILE = new URL('../../../../../docs/vectors/license-files.json', import.meta.url);
/** Rewrites the vectors after a change of the format: `LATCHKEY_TEST_WRITE_VECTORS=1`. */
if (process.env.LATCHKEY_TEST_WRITE_VECTORS) writeFileSync(FILE, vectorsText());

const text = readFileSync(FILE, 'utf8');
const { expected, accepted, refused } = JSON.parse(text) as Vectors;

describe('the test vectors of license files', () => {
  it('are those that the service would write and nobody may accept', () => {
    assert.equal(text, vectorsText(), 'the committed file is out of date');
    assert.ok(accepted.length >= 10 && refused.length >= 30);
    const names = [...accepted, ...refused].map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  });

  it('are accepted and refused by the program in TypeScript', () => {
    for (const { name, file, claims, expected: own } of accepted)
      assert.deepEqual(readLicenseFile(file, { ...expected, ...own }), claims, name);
    for (const { name, file, expected: own } of refused)
      assert.equal(readLicenseFile(file, { ...expected, ...own }), null, name);
  });

  it('are refused by it after any change of a letter', () => {
    const [{ file }] = accepted as [Vectors['accepted'][number]];
    const jws = file.replace(/-----[A-Z ]+-----|\s/g, '');
    // The last letter has some unused bits.
    for (let at = 0; at < jws.length - 1; at += 1) {
      const other = jws[at] === 'A' ? 'B' : 'A';
      assert.equal(readLicenseFile(`${jws.slice(0, at)}${other}${jws.slice(at + 1)}`, expected), null, `at ${at}`);
    }
  });

  it('have signatures that WebCrypto finds as good', async () => {
    const { isSigned } = (await exportsOf('TypeScript (browsers, workers, Deno, Bun)')) as {
      isSigned(head: string, body: string, signature: string, x: string): Promise<boolean>;
    };
    const [key] = expected.publicKeys;
    const parts = ({ file }: { readonly file: string }) =>
      file.replace(/-----[A-Z ]+-----|\s/g, '').split('.') as [string, string, string];
    const byFirst = ({ file }: { readonly file: string }) => {
      const [head] = parts({ file });
      return JSON.parse(Buffer.from(head, 'base64url').toString()).kid === key?.kid;
    };
    const good = accepted.filter(byFirst);
    assert.ok(good.length > 5);
    for (const vector of good) assert.ok(await isSigned(...parts(vector), key?.x ?? ''), vector.name);
    for (const name of ['signed by a foreign key under a known name', 'with a letter of the payload changed']) {
      const vector = refused.find((each) => each.name === name);
      assert.ok(vector !== undefined);
      assert.equal(await isSigned(...parts(vector), key?.x ?? ''), false, name);
    }
  });
});
