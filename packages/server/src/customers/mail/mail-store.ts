/** Database access of the sender of e-mails. Attempts are begun under the lease of the job, by one node at a time. */
import { type Clock, fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import type { MailContext, MailKind, MailText, QueuedMail } from '../../platform/endpoint/mail-kind.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { JobTime } from '../../platform/jobs/job.ts';
import { Lease } from '../../platform/jobs/lease.ts';
import { countRates, type LockedRates, lockRates, type RateLimit } from '../../platform/rates/rates.ts';
import type { SenderStore } from '../../platform/senders/sender.ts';
import type { Storage, Tx } from '../../storage/contract/storage.ts';
import type { Mail } from './mail.ts';
import { faultOf, isLastAttempt, LATEST_DUE_MS, nextAttemptAt } from './schedule.ts';
import { sharesOf } from './shares.ts';
import type { OutgoingMail } from './smtp.ts';
import {
  beginAttempt,
  bringBackMails,
  deleteMail,
  findDueAt,
  listDueMails,
  noteMailError,
  postponeMails,
  settleMail,
} from './store.ts';

/** Name of the job and of its lease. */
const SENDING = 'send mail';
/** Longer than an attempt: no other node begins one while this node may have one under way. */
const LEASE_MS = 40_000;

/** An e-mail and the attempt that has begun. Plain data, because the sender runs in its own thread. */
export interface BegunMail {
  readonly mailId: string;
  readonly kind: string;
  readonly attempt: number;
  readonly mail: OutgoingMail;
}

/** The result of an e-mail, for the log and the metrics; it holds no address. */
export interface MailNews {
  readonly mailId: string;
  readonly kind: string;
  /** `repeated`: another attempt follows. */
  readonly outcome: 'sent' | 'repeated' | 'failed' | 'dropped';
  readonly error: string | null;
}

/** The result of an attempt. */
export interface EndedMail {
  readonly mailId: string;
  readonly kind: string;
  readonly attempt: number;
  readonly outcome: 'sent' | 'refused' | 'unavailable';
  /** For the log. */
  readonly error: string | null;
  /** The answer of the server; null without one. */
  readonly answer: string | null;
}

/** The beginning of some attempts. */
export interface Begun {
  readonly mails: readonly BegunMail[];
  /** E-mails that ended without an attempt. */
  readonly news: readonly MailNews[];
  /** E-mails that wait for the share of their creator from now on; others may be due behind them. */
  readonly postponed: number;
  /** Time until the hourly limit allows another e-mail; 0 if it does now. */
  readonly pauseMs: number;
}

/** The database of the sender. */
export interface MailStore {
  /** Returns the moment of the next attempt in milliseconds since 1970; null if no e-mail waits. */
  findDueMail(): Promise<number | null>;
  /**
   * Begins attempts of e-mails that are due; null if another node sends. Unsettled e-mails are under way, or their
   * results are not stored yet; they are left out, because a clock that is set ahead makes them due again.
   */
  beginMails(most: number, unsettled: readonly string[]): Promise<Begun | null>;
  /** Stores results; returns the results of the e-mails. */
  endMails(ended: readonly EndedMail[]): Promise<readonly MailNews[]>;
  /** Lets another node send at once. */
  giveBackMails(): Promise<void>;
}

/** Limits of the sender, and its address. */
export interface MailLimits {
  /** E-mails per hour of the whole installation; null for no limit. */
  readonly perHour: number | null;
  /** The address of the sender, whose domain ends the Message-ID. */
  readonly fromAddress: string;
}

/** The database of the sender of e-mails. */
export const mailStore: SenderStore<'mails'> = {
  isNeeded: async (storage, { kinds }) => (await readMails(storage, kinds).findDueMail()) !== null,
  reads: (storage, _clock, { kinds }) => readMails(storage, kinds),
  writes: ({ storage, clock, time, mailKinds, settings }, { limits }) =>
    writeMails(storage, clock, time, mailKinds, settings, limits),
};

/** Returns the reads of the sender on an open database. */
export function readMails(storage: Pick<Storage, 'read'>, kinds: readonly string[]): Pick<MailStore, 'findDueMail'> {
  return {
    async findDueMail() {
      const dueAt = await storage.read((sql) => findDueAt(sql, kinds));
      return dueAt === null ? null : fromTimestamp(dueAt);
    },
  };
}

/** Returns the writes of the sender on an open database. */
export function writeMails(
  storage: Storage,
  clock: Clock,
  time: JobTime,
  kinds: readonly MailKind[],
  settings: Settings,
  limits: MailLimits,
): Omit<MailStore, 'findDueMail'> {
  let lease: Lease | null = null;
  return {
    async beginMails(most, unsettled) {
      lease ??= new Lease(storage, SENDING, time.steadyNow, LEASE_MS);
      const held = await lease.hold((tx) =>
        begin(tx, kinds, limits, { settings, now: clock() }, time.believableNow(), most, unsettled),
      );
      if (held === null) lease = null;
      return held?.done ?? null;
    },
    endMails: (ended) => storage.transaction((tx) => end(tx, kinds, ended, clock())),
    async giveBackMails() {
      const held = lease;
      lease = null;
      await held?.giveBack();
    },
  };
}

/**
 * Begins attempts. An attempt is stored before it is made, with the moment of the next one: if the node dies in it,
 * nobody else repeats it before that moment, and the number of attempts stays bounded.
 */
async function begin(
  tx: Tx,
  kinds: readonly MailKind[],
  { perHour, fromAddress }: MailLimits,
  context: MailContext,
  believedNow: number | null,
  most: number,
  unsettled: readonly string[],
): Promise<Begun> {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const { now } = context;
  const mails: BegunMail[] = [];
  const news: MailNews[] = [];
  await bringBackMails(tx, now, now + LATEST_DUE_MS);
  const { all, others, newcomers, ofCreator } = sharesOf(perHour);
  const namesOf = (wanted: Share) => kinds.filter((kind) => shareOf(kind) === wanted).map(nameOf);
  const list = async (names: readonly string[]) =>
    (await listDueMails(tx, names, now, most + unsettled.length)).filter(({ mailId }) => !unsettled.includes(mailId));
  const namesOfOthers = namesOf('shared');
  const [unlimited, owning] = [await list(namesOf('unlimited')), await list(namesOf('own'))];
  const sharing = await list(namesOfOthers);
  const creators = new Map(sharing.flatMap(({ creatorId: id }) => (id === null ? [] : [[id, ofCreator(id)] as const])));
  const rates = await lockRates(tx, [all, others, newcomers, ...creators.values()], now);
  let postponed = 0;
  // Kinds with an own share go before the others: those that wait for their share stand in nobody's way.
  for (const [due, isSharing, limits] of [
    [unlimited, false, []],
    [owning, false, [all]],
    [sharing, true, [all, others]],
  ] as const) {
    for (const mail of due.slice(0, most - mails.length)) {
      const kind = byName.get(mail.kind) as MailKind;
      const createdAt = fromTimestamp(mail.createdAt);
      const fault = faultOf(kind, { ...mail, createdAt }, believedNow);
      if (fault !== null) {
        await settleMail(tx, mail, 'failed', fault, now);
        news.push({ mailId: mail.mailId, kind: mail.kind, outcome: 'failed', error: fault });
        continue;
      }
      if (rates.pauseSeconds(1, limits) !== null) break;
      const share = isSharing && mail.creatorId !== null ? creators.get(mail.creatorId) : undefined;
      const pause = share && rates.pauseSeconds(1, [share]);
      if (pause != null) {
        // Those of one creator stand in nobody's way either.
        const until = toTimestamp(now + pause * 1000);
        postponed += await postponeMails(tx, { creatorId: mail.creatorId!, kinds: namesOfOthers, now, until });
        continue;
      }
      const shares = [...limits, ...(share === undefined ? [] : [share])];
      const text = await countedText(tx, kind, { ...mail, createdAt }, context, rates, { shares, newcomers });
      if (text === null) {
        await drop(tx, kind, mail, now);
        news.push({ mailId: mail.mailId, kind: mail.kind, outcome: 'dropped', error: null });
        continue;
      }
      const { mailId, to } = mail;
      const attempt = mail.attempts + 1;
      const messageId = mail.messageId ?? `<${mailId}@${fromAddress.split('@')[1]}>`;
      const dueAt = toTimestamp(nextAttemptAt(kind, mail.attempts, now));
      await beginAttempt(tx, { mailId, attempts: attempt, dueAt, messageId });
      mails.push({ mailId, kind: mail.kind, attempt, mail: { ...text, to, messageId, at: createdAt } });
    }
  }
  if (mails.length > 0) await rates.save();
  return { mails, news, postponed, pauseMs: (rates.pauseSeconds(1, [all]) ?? 0) * 1000 };
}

const nameOf = ({ name }: MailKind): string => name;

/** The part of the hourly limit for a kind. */
type Share = 'unlimited' | 'own' | 'shared';

function shareOf({ isToOperator = false, hasOwnShare = false }: MailKind): Share {
  return isToOperator ? 'unlimited' : hasOwnShare ? 'own' : 'shared';
}

/**
 * Makes the text of an e-mail and counts it; null if the e-mail has no purpose any more or is beyond a limit of its
 * own.
 */
async function countedText(
  tx: Tx,
  kind: MailKind,
  mail: QueuedMail & Pick<Mail, 'attempts'>,
  context: MailContext,
  rates: LockedRates,
  { shares, newcomers }: { readonly shares: readonly RateLimit[]; readonly newcomers: RateLimit },
): Promise<MailText | null> {
  const prepared = await kind.prepare(tx, mail, context);
  if (prepared === null) return null;
  const { limits = [], isToNewcomer = false, ...text } = prepared;
  const counted = isToNewcomer ? [...shares, newcomers] : shares;
  if (rates.pauseSeconds(1, counted) !== null) return null;
  // A repeated mail is the same mail to its reader.
  if (mail.attempts === 0 && (await countRates(tx, limits, context.now)) !== null) return null;
  rates.count(1, counted);
  return text;
}

async function drop(tx: Tx, { deletedOnceSent = false }: MailKind, mail: Mail, now: number): Promise<void> {
  if (deletedOnceSent) await deleteMail(tx, mail.mailId);
  else await settleMail(tx, mail, 'dropped', null, now);
}

async function end(
  tx: Tx,
  kinds: readonly MailKind[],
  ended: readonly EndedMail[],
  now: number,
): Promise<readonly MailNews[]> {
  const news: MailNews[] = [];
  for (const { mailId, kind: name, attempt, outcome, error, answer } of ended) {
    const kind = kinds.find((each) => each.name === name) as MailKind;
    const mail = { mailId, attempts: attempt };
    const reason = answer ?? error ?? '';
    if (outcome === 'sent') {
      if (kind.deletedOnceSent) await deleteMail(tx, mailId);
      else await settleMail(tx, mail, 'sent', null, now);
      news.push({ mailId, kind: name, outcome: 'sent', error: null });
    } else if (outcome === 'refused' || isLastAttempt(kind, attempt)) {
      await settleMail(tx, mail, 'failed', reason, now);
      news.push({ mailId, kind: name, outcome: 'failed', error });
    } else {
      await noteMailError(tx, mail, reason);
      news.push({ mailId, kind: name, outcome: 'repeated', error });
    }
  }
  return news;
}
