/** The licenses of the packages whose code is part of a bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How packages call the file with their license. */
const LICENSE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i;

/**
 * Name, version and text of the license of each package that a bundle contains, in the order of their names.
 *
 * @param root the folder that the paths of `files` start from
 * @param files the files that went into the bundle
 * @throws when a package has no license that could be passed on with it
 */
export function licenseTexts(root: string, files: readonly string[]): string {
  const folders = [...new Set(files.map(packageFolder).filter((folder) => folder !== null))].sort();
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const file = readdirSync(join(root, folder)).find((each) => LICENSE_FILE.test(each));
    if (file === undefined && license === undefined) throw new Error(`${name} says nothing of its license`);
    const text = file === undefined ? '' : `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license ?? 'see below'})\n${text}`;
  });
  return `Latchkey contains code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The folder of the package that a file belongs to, `node_modules/pg`; null for a file of Latchkey. */
function packageFolder(file: string): string | null {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return folder ?? null;
}
