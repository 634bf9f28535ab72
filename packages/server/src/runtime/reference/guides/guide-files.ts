/** The files of the guides: docs/ in the repository, a folder beside the JavaScript in the package. */
import { readdirSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileOf, type Guide } from './guide-list.ts';

const FOLDER = fileURLToPath(
  new URL(extname(import.meta.filename) === '.ts' ? '../../../../../../docs/' : 'guides/', import.meta.url),
);

/** The Markdown of a guide. */
export function readGuide(guide: Guide): Promise<string> {
  return readFile(join(FOLDER, fileOf(guide)), 'utf8');
}

/** The names of all pictures, for example `license.png`. */
export function pictureNames(): readonly string[] {
  return readdirSync(join(FOLDER, 'images')).filter((name) => name.endsWith('.png'));
}

/** The bytes of a picture. */
export function readPicture(name: string): Promise<Buffer> {
  return readFile(join(FOLDER, 'images', name));
}

/** Width and height of a picture in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size of a picture from the header of its file (PNG, 11.2.1). */
export async function sizeOfPicture(name: string): Promise<PictureSize> {
  await using file = await open(join(FOLDER, 'images', name));
  const { buffer } = await file.read({ buffer: Buffer.alloc(24) });
  return { width: buffer.readUInt32BE(16), height: buffer.readUInt32BE(20) };
}
