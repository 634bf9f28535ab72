/** The activity of people over the day and the week. */
import { DAY_MS, HOUR_MS } from '../../src/ground/base/clock.ts';
import type { Random } from './random.ts';

/** Type of use: at work, at home, or in lessons. */
export type Kind = 'work' | 'studio' | 'lessons';

/** Relative activity in each hour of the local day, from midnight. */
const HOURS: Readonly<Record<Kind, readonly number[]>> = {
  work: [0, 0, 0, 0, 0, 0, 1, 3, 8, 11, 12, 9, 5, 8, 11, 10, 8, 5, 3, 2, 1, 1, 0, 0],
  studio: [2, 1, 1, 0, 0, 0, 0, 1, 2, 4, 6, 7, 6, 6, 8, 9, 9, 8, 8, 9, 10, 9, 6, 4],
  lessons: [0, 0, 0, 0, 0, 0, 0, 1, 9, 12, 11, 9, 3, 6, 9, 6, 2, 1, 1, 0, 0, 0, 0, 0],
};
/** Activity on Saturdays and Sundays relative to other days. */
const WEEKEND: Readonly<Record<Kind, number>> = { work: 0.16, studio: 0.8, lessons: 0.03 };

/** The activity on the day of a time relative to a normal day; `utcOffset` is in hours. */
export function dayShare(kind: Kind, at: number, utcOffset: number): number {
  const weekday = new Date(at + utcOffset * HOUR_MS).getUTCDay();
  return weekday === 0 || weekday === 6 ? WEEKEND[kind] : 1;
}

/** The activity in the hour of a time relative to the busiest hour. */
export function hourShare(kind: Kind, at: number, utcOffset: number): number {
  const hours = HOURS[kind];
  return (hours[new Date(at + utcOffset * HOUR_MS).getUTCHours()] as number) / Math.max(...hours);
}

/** The previous local midnight; `utcOffset` is in hours. */
export function midnightBefore(at: number, utcOffset: number): number {
  const local = at + utcOffset * HOUR_MS;
  return local - (local % DAY_MS) - utcOffset * HOUR_MS;
}

/** A random time of the day that begins at a midnight, by activity. */
export function momentOfDay(kind: Kind, midnight: number, random: Random): number {
  const hours = HOURS[kind].map((weight, hour) => ({ weight, hour }));
  const { hour } = random.weighted(hours, ({ weight }) => weight);
  return midnight + hour * HOUR_MS + random.whole(0, HOUR_MS - 1);
}
