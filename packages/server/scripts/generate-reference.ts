/**
 * Writes openapi.json, contract.d.ts, docs/errors.md and the words of the console from the endpoints and the refusals.
 * With `--check` it only reports if they are up to date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { sections } from '../src/app.ts';
import { generatedFiles } from '../src/reference/documents.ts';

for (const [name, text] of generatedFiles(sections)) {
  const file = new URL(`../${name}`, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${name} is not what the endpoints say: run \`npm run generate\`\n`);
    process.exitCode = 1;
  }
}
