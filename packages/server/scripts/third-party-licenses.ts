/** The licenses of the packages in a bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** File names of licenses in packages. */
const LICENSE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i;

/**
 * Name, version and license text of each package in a bundle, in alphabetical order.
 *
 * @param root folder to which the paths of `files` are relative
 * @param files files in the bundle
 * @throws if a package has no license that can be distributed with it
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

/** The folder of a file's package, such as `node_modules/pg`; null for a file of Latchkey. */
function packageFolder(file: string): string | null {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return folder ?? null;
}
