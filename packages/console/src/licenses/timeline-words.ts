/** The history of a license as lines of a timeline: pure. */
import type { HistoryEntry, KeptRefusal } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import { actorText, changesText, eventSentence } from '../sentences/events.ts';
import { checkTitle, refusedName, refusedReason, repeatsText } from '../sentences/refusals.ts';
import { evidenceSentence, violationTitle } from '../sentences/violations.ts';

/** One line. */
export interface Moment {
  readonly id: string;
  readonly kind: HistoryEntry['kind'];
  readonly at: string;
  readonly title: string;
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

function momentOf(entry: HistoryEntry): Moment {
  const { kind, at, event, refusal, violation } = entry;
  const base = { kind, at, note: null, notedBy: null, isWonDispute: false, count: 1 };
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
