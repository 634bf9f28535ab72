/** The process behind tabs.ts: it sends the recorded calls of all tabs over the connections of one browser. */
import { type Send, senderTo } from './browser-requests.ts';
import { carryOutLoad, timed } from './side-load-work.ts';
import type { RecordedCall, Round } from './tab-round.ts';
import { callsBetween } from './visit-schedule.ts';

/**
 * Rounds that each tab sends before the first window. From then on the service runs compiled code, and PostgreSQL has
 * planned the statements of each connection, as in a service that has had tabs for some minutes.
 */
const FIRST_ROUNDS = 3;

let tabs = 0;
let round: Round = { lengthMs: 1, headers: {}, calls: [] };
let senders: readonly Send[] = [];

const senderOf = (tab: number): Send => senders[tab % senders.length]!;

/** @throws unless the answer is a success */
async function send({ path, body }: RecordedCall, sender: Send): Promise<void> {
  const { status } = await timed('call', () => sender(path, body, { headers: round.headers }));
  if (status < 200 || status > 299) throw new Error(`${path} was answered ${status} to a tab of the console`);
}

async function sendFirstRounds(sender: Send): Promise<void> {
  for (let sent = 0; sent < FIRST_ROUNDS; sent += 1) for (const call of round.calls) await send(call, sender);
}

carryOutLoad({
  async prepare(order) {
    if (order.kind !== 'openTabs') throw new Error(`tabs cannot ${order.kind}`);
    [tabs, round] = [order.tabs, order.round];
    senders = order.addresses.map((address) => senderTo(address, null));
    await Promise.all(Array.from({ length: tabs }, (_, tab) => sendFirstRounds(senderOf(tab))));
    return { kind: 'ready' };
  },
  beginDue: (fromMs, toMs) => callsBetween(tabs, round, fromMs, toMs).map(({ tab, call }) => send(call, senderOf(tab))),
});
