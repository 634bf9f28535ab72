/** The metadata of a license as typed lines, and the request made from them. Pure. */
import type { License, UpdateLicenseRequest } from '../api/contract.ts';

/** A line for each name: `name: value`. */
export function metadataLines({ metadata }: Pick<License, 'metadata'>): string {
  return Object.entries(metadata ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** The texts by name in typed lines; undefined if a line has no name or no value, or a name comes twice. */
export function metadataIn(lines: string): ReadonlyMap<string, string> | undefined {
  const read = new Map<string, string>();
  for (const line of lines.split('\n').filter((each) => each.trim() !== '')) {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    if (colon < 0 || name === '' || value === '' || read.has(name)) return undefined;
    read.set(name, value);
  }
  return read;
}

/** The request that makes the metadata of a license those of the lines; null without a difference or with a fault. */
export function metadataRequest(license: License, lines: string): UpdateLicenseRequest | null {
  const after = metadataIn(lines);
  if (after === undefined) return null;
  const before = license.metadata ?? {};
  const taken = Object.keys(before).filter((name) => !after.has(name));
  const given = [...after].filter(([name, value]) => !Object.hasOwn(before, name) || before[name] !== value);
  const changes = [...taken.map((name) => [name, null] as const), ...given];
  if (changes.length === 0) return null;
  const seen = changes.map(([name]) => [name, Object.hasOwn(before, name) ? before[name] : null]);
  return {
    ...{ licenseKey: license.key, metadata: Object.fromEntries(changes) },
    wasMetadata: Object.fromEntries(seen),
  };
}
