/** The process behind tabs.ts: it sends the recorded calls of all tabs over the connections of one browser. */
import { type Send, senderTo } from './browser-requests.ts';
import { carryOut, timed } from './side-load-work.ts';
import type { RecordedCall, Round } from './tab-round.ts';
import { callsBetween } from './visit-schedule.ts';

let tabs = 0;
let round: Round = { lengthMs: 1, headers: {}, calls: [] };
let senders: readonly Send[] = [];

/** @throws unless the answer is a success */
async function send({ path, body }: RecordedCall, sender: Send): Promise<void> {
  const { status } = await timed('call', () => sender(path, body, { headers: round.headers }));
  if (status < 200 || status > 299) throw new Error(`${path} was answered ${status} to a tab of the console`);
}

carryOut({
  async prepare(order) {
    if (order.kind !== 'openTabs') throw new Error(`tabs cannot ${order.kind}`);
    [tabs, round] = [order.tabs, order.round];
    senders = order.addresses.map((address) => senderTo(address, null));
    return { kind: 'ready' };
  },
  beginDue: (fromMs, toMs) =>
    callsBetween(tabs, round, fromMs, toMs).map(({ tab, call }) => send(call, senders[tab % senders.length]!)),
});
