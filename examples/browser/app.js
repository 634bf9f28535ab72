/** A web page. Each browser profile is a machine. A user who clears its storage needs another slot. */
import { browserFingerprint, browserStorage, createLatchkey } from '@latchkey/client';
import { sentenceFor, sentenceForError } from '../what-to-show.js';
import { options } from './options.js';

const { productId } = options;
const latchkey = createLatchkey({
  ...options,
  storage: browserStorage(productId),
  fingerprint: browserFingerprint(productId),
  hostname: 'browser',
});

const show = (state, sentence = sentenceFor(state)) => {
  document.querySelector('#state').textContent = state.status;
  document.querySelector('#sentence').textContent = sentence ?? '';
  document.querySelector('form').hidden = state.status !== 'unlicensed';
};
latchkey.on('state', ({ new: state }) => show(state));
document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    await latchkey.activate(new FormData(event.target).get('key'));
  } catch (error) {
    show(latchkey.state, sentenceForError(error));
  }
});
show(await latchkey.start());
