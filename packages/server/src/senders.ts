/**
 * The list of senders: the compiler asks for each that a slice declares. It stands apart from app.ts, because the
 * thread of the senders loads nothing else of the slices.
 */

import { lookUpSender } from './commerce/connectors/look-up-sender.ts';
import { mailSender } from './customers/mail/mail-sender.ts';
import type { Sender, SenderName } from './platform/senders/sender.ts';
import { eventSender } from './webhooks/deliveries/event-sender.ts';

const SENDERS: { readonly [Name in SenderName]: Sender<Name> } = {
  events: eventSender,
  mails: mailSender,
  shops: lookUpSender,
};

/** Every sender. A thread handles each by its name, with the settings of this name. */
export const senders = Object.values(SENDERS) as readonly Sender[];
