/** What happened to a license, as lines of a timeline: pure. */

import type { HistoryEntry, KeptRefusal } from '../api/contract.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { counted } from '../parts/count-words.ts';
import { actorText, changesText, eventSentence } from '../sentences/events.ts';
import { evidenceSentence, violationTitle } from '../sentences/violations.ts';
import { checkTitle, machineName } from './why-words.ts';

/** One line. */
export interface Moment {
  readonly id: string;
  readonly kind: HistoryEntry['kind'];
  readonly at: string;
  readonly title: string;
  /** What differs, how often, by whom. */
  readonly detail: string;
  /** The text of a note. */
  readonly note: string | null;
  /** How many entries of the history it stands for. */
  readonly count: number;
}

/** Entries as lines, in their order; what repeats without anything else between is one line. */
export function moments(entries: readonly HistoryEntry[]): readonly Moment[] {
  const lines: Moment[] = [];
  for (const entry of entries) {
    // The violation itself is in the history, with all that was seen since.
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
  const base = { kind, at, note: null, count: 1 };
  if (refusal !== undefined)
    return { ...base, id: refusal.id, title: refusalTitle(refusal), detail: refusalDetail(refusal) };
  if (violation !== undefined) {
    const title = `${violationTitle(violation.type)}${violation.resolvedAt === null ? '' : ', resolved'}`;
    return { ...base, id: `${violation.id} ${at}`, title, detail: evidenceSentence(violation) };
  }
  if (event === undefined) return { ...base, id: at, title: 'Something happened.', detail: '' };
  const by = actorText(event.actor);
  if (kind === 'note') {
    const text = event.after?.text;
    return { ...base, id: event.id, title: `Note by ${by}`, detail: '', note: typeof text === 'string' ? text : '' };
  }
  const changes = changesText(event);
  return {
    ...base,
    id: event.id,
    title: eventSentence(event),
    detail: [by, changes].filter((part) => part !== '').join(' · '),
  };
}

/** `"Ada's laptop" was refused 14 times: activate`. */
function refusalTitle({ count, hostname, machineFingerprint }: KeptRefusal): string {
  const who = machineFingerprint === null ? 'An app' : machineName({ hostname, fingerprint: machineFingerprint });
  return count === 1 ? `${who} was refused.` : `${who} was refused ${counted(count, 'time')}.`;
}

function refusalDetail({ code, endpoint, firstAt, lastAt, count, details }: KeptRefusal): string {
  const { title } = wordsFor({ code: code as never, message: code });
  const limit = typeof details.limit === 'number' ? ` The limit was ${details.limit}.` : '';
  const minutes = Math.round((Date.parse(lastAt) - Date.parse(firstAt)) / 60_000);
  const span = count > 1 && minutes > 0 ? ` Within ${counted(minutes, 'minute')}.` : '';
  return `${checkTitle(endpoint)}: ${title}${limit}${span}`;
}
