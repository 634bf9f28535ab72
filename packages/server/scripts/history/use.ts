/** Everyday use: apps that validate on the days when their users work with them. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/ground/base/clock.ts';
import { App } from './app.ts';
import type { Past, SoldLicense } from './past.ts';
import { COUNTRIES, type Machine } from './people.ts';
import type { Random } from './random.ts';
import { dayShare, midnightBefore, momentOfDay } from './rhythm.ts';

/** Share of app starts that call /verify. */
const VERIFIES = 0.5;
/** Share of days on which an app validates a second time. */
const LONG_DAYS = 0.15;
/** Share of days on which a user travels to another country. */
const DEPARTURES = 0.008;
/** Share of days on which an app counts nothing. */
const DAYS_WITHOUT_WORK = 0.4;
/** A day uses at most this part of the units of a month. */
const UNITS_SHARE = 8;
/** Number of refused days after which a user gives up. */
const PATIENCE = 4;

/** A user's pattern of use. */
interface Habit {
  readonly random: Random;
  /** Share of normal days with use. */
  readonly share: number;
  refusedDays: number;
  /** Days until a traveller returns home. */
  daysAway: number;
}

/**
 * Schedules the installation of the app on a computer of the license's owner. The app requests a slot and is in use
 * from then on.
 *
 * @param refused called if the app gets no slot
 */
export function install(
  past: Past,
  license: SoldLicense,
  machine: Machine,
  at: number,
  refused: (app: App, at: number) => void = () => {},
): App {
  const app = new App(past.calls, license, machine, license.owner.country.code);
  const random = past.random.of(`use ${license.lane} ${machine.fingerprint}`);
  past.agenda.plan(at, license.lane, async (now) => {
    if ((await app.activate()) === null) beginUse(past, license, app, now, random);
    else refused(app, now);
  });
  return app;
}

/** Starts the use of an app that has a slot. */
export function beginUse(past: Past, license: SoldLicense, app: App, now: number, random: Random): void {
  license.apps.push(app);
  planNextUse(past, license, app, { random, share: random.between(0.2, 0.8), refusedDays: 0, daysAway: 0 }, now);
}

function planNextUse(past: Past, license: SoldLicense, app: App, habit: Habit, now: number): void {
  const { kind, lane, owner } = license;
  const { utcOffset } = owner.country;
  for (let midnight = midnightBefore(now, utcOffset) + DAY_MS; midnight < past.agenda.end; midnight += DAY_MS) {
    if (!habit.random.isTrue(habit.share * dayShare(kind, midnight + DAY_MS / 2, utcOffset))) continue;
    const at = momentOfDay(kind, midnight, habit.random);
    past.agenda.plan(at, lane, () => use(past, license, app, habit, at));
    return;
  }
}

async function use(past: Past, license: SoldLicense, app: App, habit: Habit, at: number): Promise<void> {
  const { random } = habit;
  travel(license, app, habit);
  const first = random.isTrue(VERIFIES) ? await app.verify() : null;
  const refusal = first ?? (await app.validate());
  if (refusal === null) {
    habit.refusedDays = 0;
    await count(license, app, random, at);
    if (random.isTrue(LONG_DAYS))
      past.agenda.plan(
        at + random.between(HOUR_MS, 5 * HOUR_MS),
        license.lane,
        async () => void (await app.validate()),
      );
  } else {
    habit.refusedDays += 1;
    if (habit.refusedDays >= PATIENCE) return;
    // The slot was freed or the token is too old, so the app activates again.
    const asksAnew = refusal === 'machine_not_activated' || refusal === 'invalid_token';
    if (asksAnew && (await app.activate()) !== null) return;
  }
  planNextUse(past, license, app, habit, at);
}

/** Counts the day's work of an app whose edition has a meter. */
async function count({ meter }: SoldLicense, app: App, random: Random, at: number): Promise<void> {
  if (meter === null || random.isTrue(DAYS_WITHOUT_WORK)) return;
  const units = random.whole(1, Math.ceil(meter.limit / UNITS_SHARE));
  await app.consume(meter.name, units, `${at}-${app.machine.fingerprint.slice(0, 12)}`);
}

function travel({ owner }: SoldLicense, app: App, habit: Habit): void {
  const { random } = habit;
  if (habit.daysAway > 0) {
    habit.daysAway -= 1;
    if (habit.daysAway === 0) app.country = owner.country.code;
  } else if (random.isTrue(DEPARTURES)) {
    habit.daysAway = random.whole(1, 5);
    app.country = random.weighted(COUNTRIES, ({ weight }) => weight).code;
  }
}

/** A random time, minutes to hours later. */
export function soonAfter(at: number, random: Random): number {
  return at + random.between(12 * MINUTE_MS, 9 * HOUR_MS);
}
