/**
 * Bundles the programs of the service for a long run: `node --import` this, and a process or thread reads a few files
 * instead of 500. A thread costs 0.06 CPU-seconds then instead of 0.35. The bundles hold the same modules, and each
 * module keeps its place: `import.meta` is that of its source.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The modules that a process or a thread starts with. */
const ENTRIES = [
  ...['main.ts', 'cli.ts', 'runtime/dispatch/storage-thread-entry.ts', 'runtime/engines/sender-thread-entry.ts'].map(
    (file) => `server/src/${file}`,
  ),
  'server/test/support/kept-thread-entry.ts',
  'client/test/outage/service-process.ts',
].map((file) => new URL(`../packages/${file}`, import.meta.url).href);
/** Names the folder of the bundles for the processes of a run, and for their threads. */
const BUNDLES = 'LATCHKEY_TEST_BUNDLES';

/** Bundles the programs into a folder, and returns the environment variable that names it. */
export async function bundlePrograms(folder: string): Promise<Readonly<Record<string, string>>> {
  const { build } = await import('esbuild');
  await build({
    entryPoints: ENTRIES.map((url) => fileURLToPath(url)),
    entryNames: '[name]',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    // CommonJS packages call `require` for modules of Node.js.
    banner: {
      js: "import { createRequire as createRequireOfBundle } from 'node:module';\nconst require = createRequireOfBundle(import.meta.url);",
    },
    // An optional C driver that `pg` uses if it is installed.
    external: ['pg-native'],
    logLevel: 'warning',
    plugins: [
      {
        name: 'the place of each module',
        setup: ({ onLoad }) => onLoad({ filter: /[\\/]packages[\\/]server[\\/]src[\\/].*\.ts$/ }, keepPlace),
      },
    ],
  });
  return { [BUNDLES]: folder };
}

function keepPlace({ path }: { readonly path: string }) {
  const contents = readFileSync(path, 'utf8')
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
    .replaceAll('import.meta.filename', JSON.stringify(path));
  return { contents, loader: 'ts' as const };
}

const bundles = process.env[BUNDLES];
if (bundles !== undefined) {
  const places = new Map(
    ENTRIES.map((url) => [url, pathToFileURL(join(bundles, basename(url).replace(/\.ts$/, '.mjs'))).href]),
  );
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      // Only a program is replaced. A test that imports such a module gets the module.
      const url = context.parentURL === undefined ? places.get(found.url) : undefined;
      return url === undefined ? found : { ...found, url, format: 'module' };
    },
  });
}
