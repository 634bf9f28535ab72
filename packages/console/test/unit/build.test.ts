/** The built console: its size, and its conformity with the service's headers. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { packageOf } from '../../scripts/bundled-packages.ts';

/** Gzipped size in bytes. */
const FIRST_LOAD = 205_000;
const PALETTE = 15_000;
const SCREEN = 32_000;
const MAP = 45_000;

describe('the built console', () => {
  // The build of the journeys.
  const folder = process.env.LATCHKEY_TEST_CONSOLE_FOLDER!;
  let files: ReadonlyMap<string, Buffer> = new Map();
  before(() => {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    files = new Map(
      names.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1), readFileSync(path)];
      }),
    );
  });

  const size = (names: readonly string[]) => names.reduce((sum, name) => sum + gzipSync(files.get(name)!).length, 0);
  const html = () => files.get('index.html')!.toString();
  const firstLoad = () => [...html().matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  const parts = () => [...files.keys()].filter((name) => /^assets\/.*\.(?:js|css)$/.test(name));

  const isMap = (name: string) => /\/(?:world|map)/.test(name);
  /** Files that a person asks for on a screen: the map, the dialogs for many licenses, a pasted list, all pages. */
  const isAskedFor = (name: string) => isMap(name) || /\/(?:[a-z]+-many|paste-dialog|read-all)-/.test(name);
  const namedBy = (name: string, pattern: RegExp) =>
    [...files.get(name)!.toString().matchAll(pattern)].map(([, file = '']) => `assets/${file}`);
  /** The files that a script loads on demand. */
  const loadedLater = (name: string) => namedBy(name, /import\(["'`]\.\/([^"'`]+)["'`]\)/g);
  /**
   * The files that come with a file and are not in the first load: its imports, and the drawings that it loads later.
   */
  const loadedBy = (name: string, known = new Set(firstLoad())): readonly string[] => {
    if (known.has(name)) return [];
    known.add(name);
    const needed = namedBy(name, /(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g);
    const later = loadedLater(name).filter((each) => !isAskedFor(each));
    return [name, ...[...needed, ...later].flatMap((each) => loadedBy(each, known))];
  };
  /** The script that contains some words. */
  const scriptWith = (words: string) => {
    const [found] = parts().filter((name) => name.endsWith('.js') && files.get(name)!.includes(words));
    assert.ok(found, `no script says "${words}"`);
    return found;
  };

  it(`loads at most ${FIRST_LOAD} bytes before it shows anything`, () => {
    assert.ok(firstLoad().length >= 2, 'no script and style were found in index.html');
    const bytes = size(firstLoad());
    assert.ok(bytes <= FIRST_LOAD, `${bytes} bytes`);
  });

  it('shows a list after one script and one style, and a script of the screen', () => {
    assert.equal(firstLoad().length, 2, firstLoad().join(' '));
    for (const words of ['Licenses, the newest first', 'Where machines are']) {
      const loaded = loadedBy(scriptWith(words));
      assert.equal(loaded.length, 1, `${words}: ${loaded.join(' ')}`);
    }
  });

  it('loads little for each further screen, for the search and for the map, all files of each together', () => {
    const entries = parts().flatMap(loadedLater);
    assert.ok(entries.length >= 15, entries.join(' '));
    for (const name of new Set(entries)) {
      const limit = isMap(name) ? MAP : /\/palette-/.test(name) ? PALETTE : SCREEN;
      const bytes = size(loadedBy(name));
      assert.ok(bytes <= limit, `${name}: ${bytes} bytes in ${loadedBy(name).join(' ')}`);
    }
  });

  it('has scripts and styles in files only, with hashes in their names', () => {
    assert.doesNotMatch(html(), /<style|style=|<script(?![^>]*\ssrc=)|\son\w+=|javascript:/);
    for (const name of parts()) assert.match(name, /-[\w-]{8}\.(?:js|css)$/);
  });

  it('loads nothing from elsewhere, and nothing from data: addresses', () => {
    for (const name of parts()) {
      const text = files.get(name)!.toString();
      if (name.endsWith('.css')) assert.doesNotMatch(text, /url\(|@import/, name);
      assert.doesNotMatch(text, /import\(["'`](?:https?:)?\/\//, name);
    }
    assert.doesNotMatch(html(), /(?:src|href)="(?:https?:)?\/\//);
  });

  it('has a smaller form of each file beside it, which is the same file', () => {
    for (const name of [...parts(), 'index.html']) {
      const whole = files.get(name)!;
      for (const [ending, unpack, pack] of [
        ['br', brotliDecompressSync, brotliCompressSync],
        ['gz', gunzipSync, gzipSync],
      ] as const) {
        const packed = files.get(`${name}.${ending}`);
        // Some files are too short to be compressed.
        if (packed === undefined) assert.ok(pack(whole).length >= whole.length, `${name}.${ending} is missing`);
        else assert.ok(whole.equals(unpack(packed)) && packed.length < whole.length, `${name}.${ending}`);
      }
    }
  });

  it('names the packages in it', () => {
    const names = JSON.parse(files.get('bundled-packages.json')!.toString());
    for (const name of ['react', 'react-dom', '@base-ui/react', '@tanstack/react-query'])
      assert.ok(names.includes(name));
    assert.equal(packageOf('/a/node_modules/x/node_modules/@y/z/index.js'), '@y/z');
    assert.equal(packageOf('/a/packages/console/src/main.tsx'), null);
  });
});
