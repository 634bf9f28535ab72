/** Imports licenses, machines, violations and notes in batches. The changes are recorded like any others. */
import { isCountryCode } from '../../ground/base/country-code.ts';
import type { Origin } from '../../platform/events/event.ts';
import { factsOfImportedNote, type Note } from '../../platform/events/note.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { type Activation, factsOfMachine } from '../machines/activation.ts';
import type { LicenseUser } from '../machines/user.ts';
import { addCountriesOfLicenses } from '../observed-calls/license-country-store.ts';
import type { Violation } from '../violations/violation.ts';
import { type License, type LicenseContent, UNUSED } from './license.ts';
import { type LicenseEntry, type LicenseSave, openedEntry } from './license-save.ts';
import { lockLicenses } from './license-set-store.ts';
import { saveLicenses } from './save.ts';
import { licenseFacts } from './views.ts';

/** Adds licenses whose keys are not in use. */
export async function importLicenses(tx: Tx, given: readonly LicenseContent[], origin: Origin): Promise<void> {
  const saves = given.map((fields): LicenseSave => {
    const license: License = { ...fields, ...UNUSED };
    const after = licenseFacts(license, origin.now);
    return {
      kind: 'new',
      license,
      entries: [{ type: 'license.created', subject: null, before: null, after, origin }],
    };
  });
  await saveLicenses(tx, saves, origin.now);
}

/** Binds unbound machines to existing licenses. They count, and may exceed the license's limit. */
export async function importMachines(tx: Tx, given: readonly Activation[], origin: Origin): Promise<void> {
  const entry = ({ lastCountry, ...machine }: Activation): LicenseEntry => ({
    type: 'activation.created',
    subject: machine.fingerprint,
    before: null,
    after: { ...factsOfMachine(machine), country: lastCountry },
    origin,
  });
  await saveOn(tx, given, origin, (license, inserted) => ({
    kind: 'used',
    before: license,
    license: { ...license, machinesUsed: license.machinesUsed + inserted.length },
    isVisible: true,
    machines: { inserted, touched: [], updated: [], deleted: [] },
    entries: inserted.map(entry),
  }));
  const sightings = given.flatMap(({ licenseKey, countries }) =>
    [...new Set(countries)].filter(isCountryCode).map((country) => ({ country, licenseKey })),
  );
  await addCountriesOfLicenses(tx, sightings);
}

/** Gives seats to users of existing licenses. They count, and may exceed the license's limit. */
export async function importUsers(tx: Tx, given: readonly LicenseUser[], origin: Origin): Promise<void> {
  await saveOn(tx, given, origin, (license, seatedUsers) => ({ kind: 'unchanged', license, seatedUsers, entries: [] }));
}

/** Adds new violations, resolved or open, to existing licenses; open ones raise the threat level. */
export async function importViolations(tx: Tx, given: readonly Violation[], origin: Origin): Promise<void> {
  await saveOn(tx, given, origin, (license, opened) => {
    const severities = opened.flatMap(({ severity, resolvedAt }) => (resolvedAt === null ? [severity] : []));
    const threatLevel = Math.max(license.threatLevel, ...severities);
    return {
      kind: 'used',
      before: license,
      license: { ...license, threatLevel },
      isVisible: true,
      opened,
      entries: opened.map((each) => openedEntry(each, threatLevel, origin)),
    };
  });
}

/** Adds new notes to existing licenses, each as an event with its author and time. */
export async function importNotes(tx: Tx, given: readonly Note[], origin: Origin): Promise<void> {
  await saveOn(tx, given, origin, (license, notes) => ({
    kind: 'unchanged',
    license,
    entries: notes.map((note) => ({
      type: 'license.noted',
      subject: null,
      before: null,
      after: factsOfImportedNote(note),
      origin,
    })),
  }));
}

/** Locks the license of each given item and saves the items on it. @throws when one of the licenses does not exist */
async function saveOn<Thing extends { readonly licenseKey: string }>(
  tx: Tx,
  given: readonly Thing[],
  origin: Origin,
  decide: (license: Awaited<ReturnType<typeof lockLicenses>>[number], things: readonly Thing[]) => LicenseSave,
): Promise<void> {
  const ofLicense = Map.groupBy(given, ({ licenseKey }) => licenseKey);
  const licenses = await lockLicenses(tx, [...ofLicense.keys()]);
  if (licenses.length !== ofLicense.size) throw new Error('a license went away while it was imported to');
  await saveLicenses(
    tx,
    licenses.map((license) => decide(license, ofLicense.get(license.licenseKey)!)),
    origin.now,
  );
}
