import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** The version of the package. */
export function packageVersion(): string {
  // In the package that operators install, this file is part of a bundle in lib/.
  const place = extname(import.meta.filename) === '.ts' ? '../../../package.json' : '../package.json';
  const { version } = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as { version: string };
  return version;
}

/** The header `user-agent` of the requests that this service makes. */
export function userAgent(): string {
  return `Latchkey/${packageVersion()}`;
}
