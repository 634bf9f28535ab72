/** The imports that each folder of the console may have, and code that may exist in one place only. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

/** The imports of each folder whose imports differ from those of a screen. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  parts: [],
  charts: ['parts'],
  map: ['parts'],
  api: [],
  actions: ['api', 'parts'],
  sentences: ['api', 'parts'],
  shell: ['actions', 'api', 'parts', 'screens.ts', 'sentences'],
  // The first steps open the dialogs of the catalogue.
  start: ['actions', 'api', 'parts', 'products'],
};
/** The imports of a screen's folder. */
const FOR_SCREENS = ['actions', 'api', 'charts', 'map', 'parts', 'sentences'];
/** Files outside the folders, which join them. */
const JOINING = ['main.tsx', 'screens.ts'];

const files = readdirSync(SOURCE, { recursive: true })
  .map(String)
  .filter((name) => /\.(?:tsx?|css)$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(SOURCE, name), 'utf8') }));

const roomOf = (name: string) => name.split('/')[0] ?? '';

describe('the rooms of the console', () => {
  it('import only allowed rooms', () => {
    for (const { name, text } of files) {
      if (JOINING.includes(name)) continue;
      const room = roomOf(name);
      const allowed = ALLOWED[room] ?? FOR_SCREENS;
      for (const [, from = ''] of text.matchAll(/(?:from|import|import\() ?'(\.[^']+)'/g)) {
        const target = relative(SOURCE, join(SOURCE, dirname(name), from));
        if (name === 'api/contract.ts') continue;
        const other = roomOf(target);
        assert.ok(other === room || allowed.includes(other), `${name} imports ${target}`);
      }
    }
  });

  it('know the service by the types of its contract only', () => {
    for (const { name, text } of files)
      for (const [line] of text.matchAll(/^.*server\/.*$/gm))
        assert.match(line, /^export type \* from '[./]+server\/contract\.d\.ts';$/, `${name}: ${line}`);
  });

  it('use Base UI in parts only', () => {
    for (const { name, text } of files) if (roomOf(name) !== 'parts') assert.doesNotMatch(text, /@base-ui/, name);
  });

  it('change things by actions only, which report the request id', () => {
    for (const { name, text } of files)
      if (roomOf(name) !== 'actions' && roomOf(name) !== 'api')
        assert.doesNotMatch(text, /\buseWrite\b|idempotencyKey/, name);
  });

  it('name colours in tokens.css only', () => {
    for (const { name, text } of files)
      if (name.endsWith('.css') && name !== 'styles/tokens.css')
        assert.doesNotMatch(text, /#[0-9a-f]{3,8}\b|\brgb|\bhsl|\boklch|light-dark/i, name);
  });

  it('have no file of more than 400 lines', () => {
    for (const { name, text } of files) assert.ok(text.split('\n').length <= 400, name);
  });

  it('put no HTML and no script together from text', () => {
    for (const { name, text } of files)
      assert.doesNotMatch(text, /dangerouslySetInnerHTML|innerHTML|\beval\(|new Function|document\.write/, name);
  });
});
