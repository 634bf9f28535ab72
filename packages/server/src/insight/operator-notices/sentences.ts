/** The sentences about conditions in e-mails to the operator, in English. */
import { counted } from '../../ground/base/count-words.ts';
import type { Condition, Facts } from './condition.ts';
import type { ConditionKind } from './notice-kinds.ts';

interface Sentences {
  /** The condition, as a sentence without a full stop. It may stand in the subject, so it names no customer. */
  title(facts: Facts): string;
  /** Its consequence and its remedy. */
  advice(facts: Facts): string;
  /** Its end, as a sentence without a full stop. */
  over(facts: Facts): string;
  /** The place in the console where the operator looks, after `#/`. */
  place(subject: string): string;
}

/** The subject of {@link ConditionKind} `destination_failing` while no node sends events. */
export const NO_NODE = 'no_node';

const number = (value: string | undefined): number => Number(value ?? 0);
const day = (timestamp: string | undefined): string => (timestamp ?? '').slice(0, 10);
/** `2026-11-28 21:31 UTC`. */
export const momentText = (timestamp: string | undefined): string =>
  `${day(timestamp)} ${(timestamp ?? '').slice(11, 16)} UTC`;

const SENTENCES: Readonly<Record<ConditionKind, Sentences>> = {
  destination_failing: {
    title: ({ host, state }) => {
      if (host === undefined) return 'No node sends events';
      return state === 'disabled' ? `The destination at ${host} is disabled` : `Events do not reach ${host}`;
    },
    advice: ({ host, state, since }) => {
      if (host === undefined)
        return 'Events wait for active destinations. Run a node with LATCHKEY_DELIVERIES=on and the LATCHKEY_SECRETS_KEY of the destinations.';
      return state === 'disabled'
        ? 'The service sends nothing there any more. Mend the receiver and resume the destination: the events that it missed follow.'
        : `It has failed since ${momentText(since)}. Mend the receiver: the events wait, and the service disables a destination that fails for days.`;
    },
    over: ({ host }) =>
      host === undefined ? 'A node sends events again' : `The destination at ${host} fails no longer`,
    place: (subject) => (subject === NO_NODE ? 'destinations' : `destinations/${encodeURIComponent(subject)}`),
  },
  mails_failed: {
    title: ({ count, isMore }) =>
      `${isMore === undefined ? '' : 'More than '}${counted(number(count), 'e-mail')} failed within 24 hours`,
    advice: () =>
      'Their readers did not get them, which may be keys that they bought. The list tells the answers of the mail server, and sends them again.',
    over: () => 'No e-mail has failed within 24 hours',
    place: () => 'mails?state=failed',
  },
  shop_attention: {
    title: ({ count, isMore }) =>
      `${isMore === undefined ? '' : 'More than '}${counted(number(count), 'event')} of shops ${count === '1' ? 'needs' : 'need'} a decision`,
    advice: () => 'The service does not know what to do with them, so a buyer may wait for a key.',
    over: () => 'No event of a shop needs a decision any more',
    place: () => 'shops/attention',
  },
  certificate_ending: {
    title: ({ name, endsAt, daysLeft }) =>
      number(daysLeft) < 0
        ? `The certificate of ${name} ended on ${day(endsAt)}`
        : `The certificate of ${name} ends on ${day(endsAt)}`,
    advice: ({ isSelfSigned, daysLeft, hostname }) =>
      `${number(daysLeft) < 0 ? 'Apps and browsers refuse to connect' : 'Apps and browsers refuse to connect from then on'}. ${
        isSelfSigned === 'yes'
          ? `Restart the service on ${hostname}: it creates a new one, which clients must trust.`
          : `Replace its files on ${hostname}: the service uses the new ones within a minute.`
      }`,
    over: ({ name, endsAt }) => `The certificate of ${name} that ends on ${day(endsAt)} is no longer in use`,
    place: () => 'system',
  },
  backup_missing: {
    title: ({ lastAt }) => `The last backup is of ${momentText(lastAt)}`,
    advice: ({ hostname }) =>
      `No backup has succeeded for more than 36 hours, by the mark on ${hostname}. What is sold since then is lost if the disk is.`,
    over: () => 'Backups succeed again',
    place: () => 'system',
  },
  refusals_spike: {
    title: ({ count, usual, from }) =>
      `${counted(number(count), 'call')} of apps refused in the hour from ${(from ?? '').slice(11, 16)} UTC, where ${usual} ${usual === '1' ? 'is' : 'are'} usual`,
    advice: ({ codes }) =>
      `The most frequent: ${codes}. A release with a mistake, or somebody who tries keys, looks like this.`,
    over: () => 'Apps are refused as often as usual again',
    place: () => 'activity?tab=refusals',
  },
};

export const titleOf = ({ kind, facts }: Condition): string => SENTENCES[kind].title(facts);
export const adviceOf = ({ kind, facts }: Condition): string => SENTENCES[kind].advice(facts);
export const overOf = ({ kind, facts }: Condition): string => SENTENCES[kind].over(facts);
export const placeOf = ({ kind, subject }: Condition): string => SENTENCES[kind].place(subject);
