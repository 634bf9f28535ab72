/**
 * Writes each file of the built console in brotli (.br) and gzip (.gz) beside itself, so that the service compresses
 * nothing while it serves. A file that does not get smaller has none.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSIBLE = /\.(?:html|js|css|svg|json)$/;

/** Compresses what is in a folder and in the folders below it. */
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
