/**
 * Builds the console and compresses it.
 *
 *     node scripts/build.ts [FOLDER]
 *
 * writes into packages/console/dist/, or into FOLDER, whose contents it replaces.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { compressFolder } from './compress.ts';

const CONSOLE = fileURLToPath(new URL('../', import.meta.url));

const [, , folder = resolve(CONSOLE, 'dist')] = process.argv;
const outDir = resolve(folder);
await build({
  root: CONSOLE,
  logLevel: 'warn',
  build: {
    outDir,
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
compressFolder(outDir);
