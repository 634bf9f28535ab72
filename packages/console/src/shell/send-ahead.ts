/**
 * Sends the first reads of a screen while its file is loaded: at the start of the console, and whenever a link is
 * followed.
 */
import { createReads, sendAhead } from '../api/reads.ts';
import { SESSION } from '../api/session.ts';
import { screenAt } from '../screens.ts';

/** The query cache of the console. */
export const reads = createReads();

async function sendReads(): Promise<void> {
  const found = screenAt(location.hash.slice(1) || '/');
  const session = reads.ensureQueryData(SESSION);
  if (found === null) return;
  const { screen, address } = found;
  // The router reports a file that cannot be loaded.
  screen.load().catch(() => {});
  if ((await session)?.can.includes(screen.needs)) sendAhead(reads, screen.reads?.(address) ?? []);
}

// A session that cannot be read is reported by the entrance.
const send = () => void sendReads().catch(() => {});
addEventListener('popstate', send);
send();
