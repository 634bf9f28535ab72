/**
 * Writes a brotli (.br) and a gzip (.gz) copy beside each file of the built console, so that the service never
 * compresses while it serves. A copy that would not be smaller is left out.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSIBLE = /\.(?:html|js|css|svg|json)$/;

/** Compresses the files of a folder and its subfolders. */
export function compressFolder(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const whole = readFileSync(path);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: whole.length,
    };
    for (const [ending, packed] of [
      ['br', brotliCompressSync(whole, { params })],
      ['gz', gzipSync(whole, { level: 9 })],
    ] as const) {
      if (packed.length < whole.length) writeFileSync(`${path}.${ending}`, packed);
    }
  }
}
