/** The glossary: its names exist in the code, and it contains each word once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sourcesWith } from './sources.ts';

const GLOSSARY = readFileSync(new URL('../../../../docs/shops/glossary.md', import.meta.url), 'utf8');

/** The rows of all tables: a word, its meaning, and its names in code, if any. */
const rows = GLOSSARY.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Word '))
  .map((line) => line.slice(2, -2).split(' | '));

describe('the glossary', () => {
  it('has each word once', () => {
    const words = rows.map(([word]) => word);
    assert.ok(words.length > 50, `${words.length} words`);
    assert.deepEqual(words, [...new Set(words)]);
  });

  it('names things that exist in the code', () => {
    const names = rows.flatMap(([, , code = '']) => [...code.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
    assert.ok(names.length > 50, `${names.length} names`);
    const missing = names.filter((name) => sourcesWith(new RegExp(`\\b${name}\\b`)).length === 0);
    assert.deepEqual(missing, []);
  });

  it('has each name once: no two words for a thing', () => {
    const names = rows.flatMap(([, , code = '']) => [...code.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    assert.deepEqual(names, [...new Set(names)]);
  });
});
