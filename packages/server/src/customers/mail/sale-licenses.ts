/** The licenses of a sale, for e-mails with their keys. */
import { listSubjectsOfLicense, listUnits } from '../../commerce/connectors/subject-store.ts';
import { listUnitsBeside, listUnitsOfPurchase } from '../../commerce/storefront/sold-unit-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';

/** The keys of the sale that a license belongs to: of an order of a connector, else of a line of the storefront. */
export async function listKeysOfSale(sql: Sql, licenseKey: string): Promise<readonly string[]> {
  const ofOrder = await listKeysOfOrder(sql, licenseKey);
  const units = ofOrder.length > 0 ? [] : await listUnitsBeside(sql, licenseKey);
  return keysOf(licenseKey, ofOrder, units);
}

/** The keys of the whole purchase that a license belongs to: a purchase of the storefront may have several lines. */
export async function listKeysOfPurchase(
  sql: Sql,
  licenseKey: string,
  { creatorId, purchaseId }: { readonly creatorId: string | null; readonly purchaseId: string },
): Promise<readonly string[]> {
  const ofOrder = await listKeysOfOrder(sql, licenseKey);
  const units = ofOrder.length > 0 ? [] : await listUnitsOfPurchase(sql, creatorId, purchaseId);
  return keysOf(licenseKey, ofOrder, units);
}

async function listKeysOfOrder(sql: Sql, licenseKey: string): Promise<readonly string[]> {
  const [order] = await listSubjectsOfLicense(sql, licenseKey);
  return order === undefined ? [] : (await listUnits(sql, order)).map((unit) => unit.licenseKey);
}

/** A sale without units is its license. */
function keysOf(
  licenseKey: string,
  ofOrder: readonly string[],
  units: readonly { readonly licenseKey: string }[],
): readonly string[] {
  const keys = [...ofOrder, ...units.map((unit) => unit.licenseKey)];
  return keys.length === 0 ? [licenseKey] : keys;
}
