/** The places in the code that run a part of a source. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../packages/server/test/support/temporary-folder.ts';
import { Places } from './places.ts';

const SOURCES = {
  'bounds.ts': `
    export const MOST = 5;
    const HALF = MOST / 2;
    export function isTooMany(count: number) { return count > MOST; }
    export const isHalf = (count: number) => count === HALF;
    type MAX_OF_TYPE = typeof MOST;`,
  'rule.ts': `
    import { MOST as LIMIT } from './bounds.ts';
    const fields = { limit: LIMIT };
    export const rule = { fields, run() { return fields.limit; } };
    export function beside() { return { MOST: 1 }.MOST; }`,
};

describe('the places that run a part of a source', () => {
  const folder = temporaryFolder();
  const files = Object.entries(SOURCES).map(([name, text]) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  });
  const places = new Places(files);

  /** The texts at the places, up to the end of the line. */
  function placesOf(name: keyof typeof SOURCES, part: string): readonly string[] {
    const found = places.of({ file: join(folder, name), start: SOURCES[name].indexOf(part) });
    return found.map(({ file, start }) => {
      const [line] = readFileSync(file, 'utf8').slice(start).split('\n');
      return `${basename(file)}: ${line}`;
    });
  }

  it('are the part itself in a function', () => {
    assert.deepEqual(placesOf('bounds.ts', 'count > MOST'), ['bounds.ts: count > MOST; }']);
  });

  it('are the functions that use a constant, by other constants and from other files, too', () => {
    assert.deepEqual(placesOf('bounds.ts', '5;'), [
      'bounds.ts: HALF;',
      'bounds.ts: MOST; }',
      'rule.ts: { return fields.limit; } };',
    ]);
  });
});
