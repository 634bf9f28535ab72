/** The faults of networks that scenarios name. */
import type { Fault } from './front.ts';

/** Faults by name. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  up: [],
  down: [{ do: 'drop' }],
  silent: [{ do: 'silent' }],
  half: [{ do: 'half' }],
  lost: [{ do: 'lose' }],
  html: [
    {
      do: 'answer',
      headers: { 'content-type': 'text/html' },
      text: '<html><body>Please sign in to the network of this hotel</body></html>',
    },
  ],
};
