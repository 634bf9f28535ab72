/**
 * Writes openapi.json, contract.d.ts, docs/apps/errors.md and the words of the console from the endpoints, the
 * refusals and the slices.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { consoleWords, sections } from '../src/app.ts';
import { generatedFiles } from '../src/runtime/reference/documents.ts';
import { readCommandLine } from './command-line.ts';

const USAGE = `Usage: npm run generate -- [--check]

Writes openapi.json, contract.d.ts, docs/apps/errors.md and the words of the console from the endpoints, the refusals and
the slices.

  --check   only reports if they are up to date
`;

const { check = false } = readCommandLine(USAGE, { check: { type: 'boolean' } }).values;

for (const [name, text] of generatedFiles(sections, consoleWords)) {
  const file = new URL(`../${name}`, import.meta.url);
  if (!check) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${name} is not what the endpoints say: run \`npm run generate\`\n`);
    process.exitCode = 1;
  }
}
