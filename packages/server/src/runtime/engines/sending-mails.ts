/** Sends mails in the thread of the senders. */

import type { MailStore } from '../../customers/mail/mail-store.ts';
import { MAIL_BOUNDS, MailSender } from '../../customers/mail/sender.ts';
import { Smtp } from '../../customers/mail/smtp.ts';
import { type Clock, elapsedMs } from '../../ground/base/clock.ts';
import type { FromDeliveryThread, MailSending } from './delivery-thread.ts';
import { startRounds } from './rounds.ts';
import type { Sending } from './sending-events.ts';

/** Starts the sender of mails. */
export function startSendingMails(
  { smtp: settings, bounds: given }: MailSending,
  store: MailStore,
  clock: Clock,
  send: (message: FromDeliveryThread) => void,
): Sending {
  const bounds = { ...MAIL_BOUNDS, ...given };
  const smtp = new Smtp(settings);
  const sender = new MailSender({
    store,
    send: (mail, signal) => smtp.send(mail, signal),
    clock,
    elapsed: elapsedMs,
    bounds,
    on: (news) => send({ kind: 'mail', news }),
  });
  const failed = (failure: string) => send({ kind: 'failure', failure });
  const rounds = startRounds({
    // Nothing wakes it: a mail waits for the next round.
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
