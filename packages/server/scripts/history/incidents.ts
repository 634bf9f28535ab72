/** Misuse and mishaps: shared keys, copied disks, programs that retry in a loop. Some of them are resolved. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/ground/base/clock.ts';
import { App } from './app.ts';
import { momentAt, type Past, type SoldLicense } from './past.ts';
import { makeMachine, makePerson } from './people.ts';
import type { Random } from './random.ts';
import { askForAnotherSlot, resolveAll } from './support-desk.ts';

/** An incident with a license in use. */
type Incident = (past: Past, license: SoldLicense, at: number, random: Random) => void;

/** Number of incidents of each kind in the whole history and in its last hours. */
const INCIDENTS: readonly { readonly befall: Incident; readonly times: number; readonly atLast: number }[] = [
  { befall: wantMore, times: 6, atLast: 7 },
  { befall: hammer, times: 4, atLast: 2 },
  { befall: copyDisk, times: 5, atLast: 2 },
  { befall: passAround, times: 4, atLast: 1 },
  { befall: travelWithVpn, times: 6, atLast: 2 },
];
/** Length of the last hours. */
const LAST_MS = 6 * HOUR_MS;
/** Share of earlier incidents that a support desk has resolved. */
const SETTLED = 0.45;

/** Schedules the incidents. */
export function planIncidents(past: Past): void {
  for (const [index, { befall, times, atLast }] of INCIDENTS.entries())
    for (let number = 0; number < times + atLast; number++) {
      const random = past.random.of(`incident ${index} ${number}`);
      const isLast = number >= times;
      const at = isLast
        ? past.agenda.end - random.between(30 * MINUTE_MS, LAST_MS)
        : momentAt(past, random.between(0.2, 0.95));
      past.agenda.planAlone(at, 'incidents', async () => {
        const license = findVictim(past, random);
        if (license === undefined) return;
        befall(past, license, at + 15 * MINUTE_MS, random);
        if (!isLast && random.isTrue(SETTLED))
          past.agenda.plan(at + random.between(1, 6) * DAY_MS, license.lane, () => resolveAll(past, license));
      });
    }
}

/** A license of one person with all slots taken. */
function findVictim(past: Past, random: Random): SoldLicense | undefined {
  const full = past.sold.filter(
    ({ apps, slots, isFloating }) => !isFloating && slots > 0 && slots < 10 && apps.length === slots,
  );
  return full.length === 0 ? undefined : random.pick(full);
}

/** A customer has a new computer and no slot for it. */
function wantMore(past: Past, license: SoldLicense, at: number, random: Random): void {
  askForAnotherSlot(past, license, makeMachine(random, license.owner), at, random);
}

/** A program tries to activate in a loop. */
function hammer(past: Past, license: SoldLicense, at: number, random: Random): void {
  const app = new App(past.calls, license, makeMachine(random, license.owner), license.owner.country.code);
  for (let round = 0; round < 4; round++)
    past.agenda.plan(at + round * 10 * MINUTE_MS, license.lane, async () => {
      for (let attempt = 0; attempt < 6; attempt++) await app.activate();
    });
}

/** A copied disk: another computer presents the token of the first. */
function copyDisk(past: Past, license: SoldLicense, at: number, random: Random): void {
  const [original] = license.apps;
  const app = new App(past.calls, license, makeMachine(random, license.owner), license.owner.country.code);
  const times = random.whole(2, 7);
  for (let time = 0; time < times; time++)
    past.agenda.plan(at + time * 40 * MINUTE_MS, license.lane, async () => {
      app.token = original?.token ?? null;
      await app.validate();
    });
}

/** A key published on the internet: many computers from everywhere try it on one day. */
function passAround(past: Past, license: SoldLicense, at: number, random: Random): void {
  const strangers = random.whole(5, 11);
  for (let number = 0; number < strangers; number++) {
    const stranger = makePerson(random, number);
    const app = new App(past.calls, license, makeMachine(random, stranger), stranger.country.code);
    past.agenda.plan(at + number * random.between(11, 20) * MINUTE_MS, license.lane, async () => {
      await app.verify();
      await app.activate();
    });
  }
}

/** A machine of the license appears in several countries within a day. */
function travelWithVpn(past: Past, license: SoldLicense, at: number, random: Random): void {
  const app = license.apps.at(-1);
  const countries = random.some(['US', 'NL', 'SG', 'CH', 'SE', 'JP', 'DE', 'BR'], random.whole(3, 5));
  for (const [index, country] of countries.entries())
    past.agenda.plan(at + index * 25 * MINUTE_MS, license.lane, async () => {
      if (app === undefined) return;
      const home = app.country;
      app.country = country;
      await app.validate();
      app.country = home;
    });
}
