/** The work of the support desks: they free machines, raise limits, resolve violations and write notes. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/ground/base/clock.ts';
import { App } from './app.ts';
import type { Past, SoldLicense } from './past.ts';
import type { Machine } from './people.ts';
import type { Random } from './random.ts';
import { beginUse } from './use.ts';

/** Share of customers who contact support after a refusal. */
const WRITERS = 0.6;

const NOTES = [
  'Asked for an invoice with a VAT number; sent it again.',
  'Uses the app in a school. Offered the campus edition.',
  'Reported a crash on start; fixed in 2.4.1. Very friendly.',
  'Wants to move to the yearly plan when this one ends.',
  'Lost the key with an old mailbox. Checked the order, sent it again.',
  'Asked whether two people may share a license. Explained that each needs a seat.',
  'Beta tester for the next version.',
  'Computer was stolen; freed the machine on request.',
  'Travels a lot, so several countries are usual here.',
  'Prefers to be called in the afternoon, Central European Time.',
];

/** A customer with a new computer and no slot for it tries one to four times and may write to the support desk. */
export function askForAnotherSlot(
  past: Past,
  license: SoldLicense,
  machine: Machine,
  at: number,
  random: Random,
): void {
  const { agenda, calls } = past;
  const { lane, owner } = license;
  const app = new App(calls, license, machine, owner.country.code);
  const tries = random.whole(1, 4);
  let after = at;
  for (let attempt = 1; attempt <= tries; attempt++) {
    agenda.plan(after, lane, async () => void (await app.activate()));
    after += random.between(12 * MINUTE_MS, 5 * HOUR_MS);
  }
  if (!random.isTrue(WRITERS)) return;
  const answered = after + random.between(HOUR_MS, DAY_MS);
  agenda.plan(answered, lane, () => help(past, license, random));
  agenda.plan(answered + random.between(15 * MINUTE_MS, 6 * HOUR_MS), lane, async (now) => {
    if ((await app.activate()) === null) beginUse(past, license, app, now, random);
  });
}

/** Frees a slot or raises the limit of a license, and resolves its violations. */
async function help(past: Past, license: SoldLicense, random: Random): Promise<void> {
  const { calls } = past;
  const { licenseKey, creatorId, slots } = license;
  const [oldest] = license.apps;
  if (oldest !== undefined && random.isTrue(0.7)) {
    const machineFingerprint = oldest.machine.fingerprint;
    const { activations } = await calls.creator(creatorId, '/getLicense', { licenseKey });
    if (activations.some(({ fingerprint }) => fingerprint === machineFingerprint)) {
      await calls.creator(creatorId, '/releaseActivation', { licenseKey, machineFingerprint });
      license.apps.shift();
    }
    const text = `Freed "${oldest.machine.hostname}", which is not in use any more.`;
    await calls.creator(creatorId, '/addNote', { licenseKey, text });
  } else {
    await calls.creator(creatorId, '/updateLicense', { licenseKey, maxMachines: slots + 1 });
    await calls.creator(creatorId, '/addNote', { licenseKey, text: `Allowed ${slots + 1} machines as a courtesy.` });
  }
  await resolveAll(past, license);
}

/** Resolves all open violations of a license. */
export async function resolveAll({ calls }: Past, { licenseKey, creatorId }: SoldLicense): Promise<void> {
  const { violations } = await calls.creator(creatorId, '/getLicense', { licenseKey });
  const violationIds = violations.filter(({ resolvedAt }) => resolvedAt === null).map(({ id }) => id);
  if (violationIds.length > 0) await calls.creator(creatorId, '/resolveLicense', { licenseKey, violationIds });
}

/** Schedules the notes of the desks, about five a week. */
export function planNotes(past: Past): void {
  const random = past.random.of('notes');
  for (let at = past.begin + DAY_MS; at < past.agenda.end; at += random.between(0.4, 2.4) * DAY_MS) {
    const text = random.pick(NOTES);
    const place = random.number();
    past.agenda.planAlone(at, 'notes', async () => {
      const license = past.sold[Math.floor(place * past.sold.length)];
      if (license === undefined) return;
      await past.calls.creator(license.creatorId, '/addNote', { licenseKey: license.licenseKey, text });
    });
  }
}
