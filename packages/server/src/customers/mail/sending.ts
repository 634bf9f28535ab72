/** Sends e-mails in the thread of the sender. */

import { elapsedMs } from '../../ground/base/clock.ts';
import { startRounds } from '../../platform/senders/rounds.ts';
import type { Sending, SendingParts } from '../../platform/senders/sender.ts';
import type { MailStore } from './mail-store.ts';
import { MAIL_BOUNDS, MailSender } from './sender.ts';
import { Smtp } from './smtp.ts';

/** Starts the sender of e-mails. */
export function startSendingMails({
  settings: { smtp: settings, bounds: given },
  store,
  clock,
  report,
  failed,
}: SendingParts<'mails'>): Sending {
  const bounds = { ...MAIL_BOUNDS, ...given };
  const smtp = new Smtp(settings);
  const sender = new MailSender({
    store: store as MailStore,
    send: (mail, signal) => smtp.send(mail, signal),
    clock,
    elapsed: elapsedMs,
    bounds,
    on: (news) => report('mail', news),
  });
  const rounds = startRounds({
    // Nothing wakes it: an e-mail waits for the next round.
    awaitNews: () => {},
    look: () => sender.look(),
    changes: () => 0,
    ends: () => sender.attemptEnds(),
    intervalMs: bounds.lookMs,
    failed,
  });
  return {
    wake: rounds.wake,
    async stop() {
      await rounds.stop();
      await sender.stop().catch((error: unknown) => failed(String(error)));
    },
  };
}
