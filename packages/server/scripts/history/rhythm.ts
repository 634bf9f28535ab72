/** When people do things: by day, by night, on weekends. */
import { DAY_MS, HOUR_MS } from '../../src/clock.ts';
import type { Chance } from './chance.ts';

/** Whether a program is used for work, at home, or in lessons. */
export type Kind = 'work' | 'studio' | 'lessons';

/** How much happens in each hour of the day, from midnight on, where the people are. */
const HOURS: Readonly<Record<Kind, readonly number[]>> = {
  work: [0, 0, 0, 0, 0, 0, 1, 3, 8, 11, 12, 9, 5, 8, 11, 10, 8, 5, 3, 2, 1, 1, 0, 0],
  studio: [2, 1, 1, 0, 0, 0, 0, 1, 2, 4, 6, 7, 6, 6, 8, 9, 9, 8, 8, 9, 10, 9, 6, 4],
  lessons: [0, 0, 0, 0, 0, 0, 0, 1, 9, 12, 11, 9, 3, 6, 9, 6, 2, 1, 1, 0, 0, 0, 0, 0],
};
/** How much happens on Saturdays and Sundays, as a share of the other days. */
const WEEKEND: Readonly<Record<Kind, number>> = { work: 0.16, studio: 0.8, lessons: 0.03 };

/** The share of the usual that happens on the day of a moment, where the clocks are so many hours ahead of UTC. */
export function dayShare(kind: Kind, at: number, utcOffset: number): number {
  const weekday = new Date(at + utcOffset * HOUR_MS).getUTCDay();
  return weekday === 0 || weekday === 6 ? WEEKEND[kind] : 1;
}

/** The share of its busiest hour that happens in the hour of a moment. */
export function hourShare(kind: Kind, at: number, utcOffset: number): number {
  const hours = HOURS[kind];
  return (hours[new Date(at + utcOffset * HOUR_MS).getUTCHours()] as number) / Math.max(...hours);
}

/** When midnight was, where the clocks are so many hours ahead of UTC. */
export function midnightBefore(at: number, utcOffset: number): number {
  const local = at + utcOffset * HOUR_MS;
  return local - (local % DAY_MS) - utcOffset * HOUR_MS;
}

/** A moment of the day that begins at a midnight. */
export function momentOfDay(kind: Kind, midnight: number, chance: Chance): number {
  const hours = HOURS[kind].map((weight, hour) => ({ weight, hour }));
  const { hour } = chance.weighted(hours, ({ weight }) => weight);
  return midnight + hour * HOUR_MS + chance.whole(0, HOUR_MS - 1);
}
