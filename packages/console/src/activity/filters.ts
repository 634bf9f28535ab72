/** Builds the request of the activity list from the address: pure. */
import type { EventType, ListEventsRequest } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { dayOf, spanOf } from '../parts/day-range.ts';
import { longDayText } from '../parts/time-words.ts';
import { EVENT_GROUPS } from '../sentences/events.ts';

/** The names of the filters in the address. */
export const FILTERS = ['kind', 'actor', 'product', 'license', 'request', 'days'] as const;
/** The filter values; '' if not set. */
export type ActivityFilters = Readonly<Record<(typeof FILTERS)[number], string>>;

/** Page size. */
const PAGE = 50;

/**
 * The request for a page.
 *
 * @param cursor '' for the first page
 */
export function requestOf(filters: ActivityFilters, cursor: string): ListEventsRequest {
  const { kind, actor, product, license, request } = filters;
  return {
    limit: PAGE,
    ...given({ types: typesOf(kind), actor, productId: product, licenseKey: license, requestId: request, cursor }),
    ...given(spanOf(filters.days)),
  };
}

/** A group of events by its id, or a single type by its own name. */
function typesOf(kind: string): readonly EventType[] | undefined {
  if (kind === '') return undefined;
  return EVENT_GROUPS.find(({ id }) => id === kind)?.types ?? [kind as EventType];
}

/** Groups events by their day in the reader's time zone, keeping their order. */
export function byDay<Entry extends { readonly at: string }>(
  events: readonly Entry[],
): readonly { readonly day: string; readonly events: readonly Entry[] }[] {
  const days: { day: string; events: Entry[] }[] = [];
  for (const event of events) {
    const day = dayOf(event.at);
    const last = days.at(-1);
    if (last?.day === day) last.events.push(event);
    else days.push({ day, events: [event] });
  }
  return days;
}

/** A day as a heading: today, yesterday, otherwise the date. */
export function dayTitle(day: string, now: number): string {
  const today = dayOf(new Date(now).toISOString());
  const yesterday = new Date(`${today}T12:00:00`);
  yesterday.setDate(yesterday.getDate() - 1);
  if (day === today) return 'Today';
  if (day === dayOf(yesterday.toISOString())) return 'Yesterday';
  return longDayText(new Date(`${day}T12:00:00`));
}
