/**
 * A plug-in with a floating license. A host may start it in several processes on one machine. They share one seat,
 * because they have the same state and fingerprint: one of them keeps the seat, and the last to end returns it.
 */
import { createInterface } from 'node:readline';
import { createLatchkey } from '@latchkey/client/node';
import { options } from '../options.js';
import { sentenceFor } from '../what-to-show.js';

// A plug-in is opened and closed rarely, so that its seat is worth giving back at once.
const latchkey = createLatchkey({ ...options, release: 'always' });
const tell = (state) => console.log(`${state.status}${sentenceFor(state) === null ? '' : `: ${sentenceFor(state)}`}`);

await latchkey.start();
if (latchkey.state.status === 'unlicensed') await latchkey.activate(process.env.LICENSE_KEY);
tell(latchkey.state);
latchkey.on('state', ({ new: state }) => tell(state));
latchkey.on('seat-lost', () => console.log('the work is saved'));

// The host closes the input of a plug-in that is to end.
createInterface({ input: process.stdin }).on('close', async () => {
  await latchkey.close();
  console.log('ended');
});
