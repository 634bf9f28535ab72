/**
 * A server with a site license, of which a customer may run any number. Its key comes from its configuration. It starts
 * even if the license server cannot be reached. In containers, give it a fingerprint of your own or mount its state as
 * a volume.
 */
import { createServer } from 'node:http';
import { createLatchkey } from '@latchkey/client/node';
import { options } from '../options.js';
import { sentenceForError } from '../what-to-show.js';
import { requireLicense } from './require-license.js';

const latchkey = createLatchkey({
  ...options,
  ...(process.env.INSTANCE === undefined ? {} : { fingerprint: process.env.INSTANCE }),
});
latchkey.on('state', ({ new: state }) => console.log(`license: ${state.status}`));
await latchkey.start();
if (latchkey.state.status === 'unlicensed') await activateUntilHeard();

/** Tries again each minute while the license server cannot be reached. */
async function activateUntilHeard() {
  try {
    await latchkey.activate(process.env.LICENSE_KEY);
  } catch (error) {
    console.error(sentenceForError(error));
    if (error.name === 'Unreachable') setTimeout(activateUntilHeard, 60_000).unref();
  }
}

const onlyLicensed = requireLicense(latchkey);
const notes = [];
const server = createServer((request, response) =>
  onlyLicensed(request, response, () => {
    if (request.method === 'POST') notes.push(`note ${notes.length + 1}`);
    response.end(`${JSON.stringify(notes)}\n`);
  }),
);
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`listening on ${server.address().port}`),
);
process.on('SIGTERM', async () => {
  server.close();
  await latchkey.close();
});
