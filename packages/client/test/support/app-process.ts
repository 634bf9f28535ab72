/** An app in its own process. Prints its state. On `stop`, or at the end of its input, it stops and prints that. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createLatchkey } from '../../src/node.ts';

const [server = '', ca = '', directory = '', fingerprint = '', licenseKey] = process.argv.slice(2);
const latchkey = createLatchkey({
  server,
  productId: 'app',
  ca: readFileSync(ca, 'utf8'),
  directory,
  fingerprint,
  release: 'always',
});
await latchkey.start();
if (licenseKey !== undefined) await latchkey.activate(licenseKey);
const state = await latchkey.check();
process.stdout.write(`${state.status}\n`);
createInterface({ input: process.stdin }).on('close', async () => {
  await latchkey.close();
  process.stdout.write('stopped\n');
});
