/** Writes openapi.json from the endpoints; with `--check` only says whether it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { sections } from '../src/app.ts';
import { openApiText } from '../src/reference/documents.ts';

const file = new URL('../openapi.json', import.meta.url);
const text = openApiText(sections);

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('openapi.json is not what the endpoints say: run `npm run generate`\n');
  process.exit(1);
}
