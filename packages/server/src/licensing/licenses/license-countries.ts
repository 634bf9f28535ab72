/** The countries of a license: those that it was used from, and those of its machines (rules 4.2). */
import Type from 'typebox';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { resource } from '../../platform/endpoint/field-types.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { listCountriesOfMachines } from '../machines/activation-store.ts';
import { listCountriesOfLicense } from '../observed-calls/license-country-store.ts';
import type { License } from './license.ts';

/** Machines counted for one reply: the first by fingerprint. A site license may have a million. */
export const MAX_COUNTED_MACHINES = 1_000;

export const licenseCountrySchema = resource('LicenseCountry', 'A country that a license was used from.', {
  code: Type.String({ description: 'Two letters, as in ISO 3166.' }),
  machines: Type.Integer({ description: 'Machines whose last call came from there.' }),
  machinesBefore: Type.Integer({ description: 'Machines that called from there before, and last from elsewhere.' }),
});
type LicenseCountry = ReplyOf<typeof licenseCountrySchema>;

/** The countries of a license, the one with most machines first. One without machines was left by all of them. */
export async function countriesOf(
  sql: Sql,
  license: Pick<License, 'licenseKey' | 'createdAt'>,
): Promise<readonly LicenseCountry[]> {
  const counts = new Map<string, { machines: number; machinesBefore: number }>();
  const countsOf = (code: string) => {
    const known = counts.get(code) ?? { machines: 0, machinesBefore: 0 };
    counts.set(code, known);
    return known;
  };
  for (const { countries, lastCountry } of await listCountriesOfMachines(
    sql,
    license.licenseKey,
    MAX_COUNTED_MACHINES,
  )) {
    if (lastCountry !== null) countsOf(lastCountry).machines += 1;
    for (const code of new Set(countries)) if (code !== lastCountry) countsOf(code).machinesBefore += 1;
  }
  for (const code of await listCountriesOfLicense(sql, license)) countsOf(code);
  return [...counts]
    .map(([code, figures]) => ({ code, ...figures }))
    .sort(
      (one, other) =>
        other.machines - one.machines || other.machinesBefore - one.machinesBefore || (one.code < other.code ? -1 : 1),
    );
}
