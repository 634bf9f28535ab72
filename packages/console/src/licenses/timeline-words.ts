/** The history of a license, the events of its shop and its e-mails as lines of a timeline: pure. */
import type { Connector, HistoryEntry, KeptRefusal, Mail, ShopEvent } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import { actorText, changesText, eventSentence } from '../sentences/events.ts';
import { kindText, stateText } from '../sentences/mail-names.ts';
import { checkTitle, refusedName, refusedReason, repeatsText } from '../sentences/refusals.ts';
import { DEEDS, EVENT_STATES } from '../sentences/shop-outcomes.ts';
import { evidenceSentence, violationTitle } from '../sentences/violations.ts';

/** One line. */
export interface Moment {
  readonly id: string;
  readonly kind: HistoryEntry['kind'] | 'shop event' | 'mail';
  readonly at: string;
  readonly title: string;
  /** Whether somebody should look at it: a refusal, a violation, an e-mail that failed. */
  readonly isTrouble: boolean;
  /** Where it is shown whole; null if it is whole here. */
  readonly link: { readonly href: string; readonly text: string } | null;
  /** Differences, number of repeats, actor. */
  readonly detail: string;
  /** The text of a note; null for one that was deleted. */
  readonly note: string | null;
  /** Whether the shop won the dispute that revoked the license, so that a person decides about it. */
  readonly isWonDispute: boolean;
  /** The creator that wrote the note; null for all other authors. */
  readonly notedBy: string | null;
  /** Number of history entries in this line. */
  readonly count: number;
}

/** Converts entries into lines, in order. Consecutive repeats share one line. */
export function moments(entries: readonly HistoryEntry[]): readonly Moment[] {
  const lines: Moment[] = [];
  for (const entry of entries) {
    // The history holds the violation itself, with everything observed since.
    if (entry.event?.type === 'violation.opened' || entry.event?.type === 'violation.raised') continue;
    const line = momentOf(entry);
    const last = lines.at(-1);
    if (
      last !== undefined &&
      last.kind === 'event' &&
      line.kind === 'event' &&
      last.title === line.title &&
      last.detail === line.detail
    )
      lines[lines.length - 1] = { ...last, count: last.count + 1 };
    else lines.push(line);
  }
  return lines;
}

const ALONE = { link: null, note: null, notedBy: null, isWonDispute: false, count: 1 } as const;

/** The lines of shop events: the report of the shop, and its effect on the license. */
export function shopMoments(
  events: readonly ShopEvent[],
  licenseKey: string,
  connectors: readonly Pick<Connector, 'connectorId' | 'name'>[],
): readonly Moment[] {
  return events.map((event) => {
    const { eventId, connectorId, type, subject, receivedAt, state } = event;
    const name = connectors.find((each) => each.connectorId === connectorId)?.name ?? 'The shop';
    const deeds = new Set(event.outcome.filter((each) => each.licenseKey === licenseKey).map(({ did }) => DEEDS[did]));
    return {
      ...ALONE,
      id: eventId,
      kind: 'shop event',
      at: receivedAt,
      title: `${name} reported ${type}.`,
      detail: [...(deeds.size > 0 ? deeds : [EVENT_STATES[state].title]), ...(subject === null ? [] : [subject])].join(
        ' · ',
      ),
      isTrouble: state === 'attention',
      link: {
        href: `#/shops/${encodeURIComponent(connectorId)}?event=${encodeURIComponent(eventId)}`,
        text: 'Open the event',
      },
    };
  });
}

/** The lines of e-mails about a license. */
export function mailMoments(mails: readonly Mail[], licenseKey: string): readonly Moment[] {
  return mails.map(({ mailId, kind, to, state, createdAt }) => ({
    ...ALONE,
    id: mailId,
    kind: 'mail',
    at: createdAt,
    title: `E-mail to ${to}: ${kindText(kind)}.`,
    detail: stateText(state),
    isTrouble: state === 'failed',
    link: { href: `#/mails?license=${encodeURIComponent(licenseKey)}`, text: 'Open its e-mails' },
  }));
}

/**
 * Adds other lines to those of a page of the history, by time; the lines of the history keep their order.
 *
 * @param page others belong to it if they are older than `before` and not older than `from`; '' for no bound
 */
export function withOthers(
  history: readonly Moment[],
  others: readonly Moment[],
  { before, from }: { readonly before: string; readonly from: string },
): readonly Moment[] {
  const added = others
    .filter(({ at }) => (before === '' || at < before) && at >= from)
    .toSorted((one, other) => (one.at < other.at ? 1 : -1));
  const lines: Moment[] = [];
  for (const line of history) {
    while (added[0] !== undefined && added[0].at > line.at) lines.push(added.shift()!);
    lines.push(line);
  }
  return [...lines, ...added];
}

function momentOf(entry: HistoryEntry): Moment {
  const { kind, at, event, refusal, violation } = entry;
  const base = { ...ALONE, kind, at, isTrouble: kind === 'refusal' || kind === 'violation' };
  if (refusal !== undefined)
    return { ...base, id: refusal.id, title: refusalTitle(refusal), detail: refusalDetail(refusal) };
  if (violation !== undefined) {
    const title = `${violationTitle(violation.type)}${violation.resolvedAt === null ? '' : ', resolved'}`;
    return { ...base, id: `${violation.id} ${at}`, title, detail: evidenceSentence(violation) };
  }
  if (event === undefined) return { ...base, id: at, title: 'Something happened.', detail: '' };
  const by = actorText(event.actor);
  if (kind === 'note') {
    if (event.after === null) return { ...base, id: event.id, title: `Note by ${by}, deleted since`, detail: '' };
    const { text, reason } = event.after;
    const notedBy = event.actor.kind === 'creator' ? event.actor.id : null;
    const note = typeof text === 'string' ? text : '';
    const isWonDispute = reason === 'dispute_won';
    return { ...base, id: event.id, title: `Note by ${by}`, detail: '', note, notedBy, isWonDispute };
  }
  const changes = changesText(event);
  return {
    ...base,
    id: event.id,
    title: eventSentence(event),
    detail: [by, changes].filter((part) => part !== '').join(' · '),
  };
}

/** `"Ada's laptop" was refused 14 times.` */
function refusalTitle(refusal: KeptRefusal): string {
  const { count } = refusal;
  return `${refusedName(refusal)} was refused${count === 1 ? '' : ` ${counted(count, 'time')}`}.`;
}

/** `Activate: All machines of the license are in use. The limit was 2. Within 12 minutes.` */
function refusalDetail(refusal: KeptRefusal): string {
  const span = repeatsText(refusal).replace(/^w(.*)$/, ' W$1.');
  return `${checkTitle(refusal.endpoint)}: ${refusedReason(refusal)}${span}`;
}
