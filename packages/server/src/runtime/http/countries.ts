/** The country of a request: from a header, otherwise from an IP-to-country database, otherwise unknown. */
import { type CountryResponse, open, type Reader } from 'maxmind';
import { canonicalAddress, isIpv6 } from '../../ground/base/network-address.ts';
import { type Config, ConfigError } from '../config/config.ts';

/**
 * Returns the ISO 3166 code of the caller's country in upper case, or null when it is unknown.
 *
 * @param address the caller's IP address in any spelling; null where it is not known
 * @param headers as node:http gives them, names in lower case
 */
export type CountryOf = (
  address: string | null,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => string | null;

/** The country lookup of a service. */
export interface Countries {
  readonly countryOf: CountryOf;
  /** Build time of the database, in milliseconds since 1970; null if there is no database or it does not say. */
  readonly builtAt: number | null;
}

/** Two-letter codes that stand for no country: the "unknown" of proxies and of Unicode. */
const NO_COUNTRY: ReadonlySet<string> = new Set(['XX', 'ZZ']);

/**
 * Opens the country lookup (rules 2.2).
 *
 * The configured header, where a request has it, decides alone: a proxy that says "unknown" or "Tor" has looked the
 * address up already. The service trusts the header from any sender, so it must be one that the proxy in front sets or
 * removes on every request. The database is a MaxMind DB file with `country.iso_code` in it, by country or by city. It
 * is read once, here: a newer file takes effect at the next start. A damaged record is no country: nothing but the
 * look-up of its addresses finds it.
 *
 * @param onDamage called with the error of the first record that cannot be read
 * @throws ConfigError when the file is no such database
 */
export async function openCountries(
  config: Pick<Config, 'countryHeader' | 'geoipFile'>,
  onDamage: (error: unknown) => void = () => {},
): Promise<Countries> {
  const { countryHeader, geoipFile } = config;
  const database = geoipFile === null ? null : await openDatabase(geoipFile);
  let isDamaged = false;
  const noteDamage = (error: unknown) => {
    if (!isDamaged) onDamage(error);
    isDamaged = true;
  };
  return {
    countryOf(address, headers) {
      const header = countryHeader === null ? undefined : headers[countryHeader];
      if (header !== undefined && header !== '') return countryCode(header);
      return database === null || address === null ? null : countryCode(lookUp(database, address, noteDamage));
    },
    builtAt: database === null ? null : buildTimeOf(database),
  };
}

/** Reads the build time. Files hold it in seconds; some homemade files hold 0. */
function buildTimeOf({ metadata }: Reader<CountryResponse>): number | null {
  const builtAt = metadata.buildEpoch?.getTime();
  return Number.isFinite(builtAt) && builtAt > 0 ? builtAt : null;
}

async function openDatabase(file: string): Promise<Reader<CountryResponse>> {
  try {
    return await open<CountryResponse>(file);
  } catch {
    throw new ConfigError([`LATCHKEY_GEOIP_FILE names ${file}, which is not a MaxMind DB (.mmdb) file`]);
  }
}

function lookUp(
  database: Reader<CountryResponse>,
  text: string,
  noteDamage: (error: unknown) => void,
): string | undefined {
  const address = canonicalAddress(text);
  if (address === null) return undefined;
  // The reader takes the first bits of an IPv6 address for an IPv4 address when the database has nothing else.
  if (isIpv6(address) && database.metadata.ipVersion === 4) return undefined;
  try {
    return database.get(address)?.country?.iso_code;
  } catch (error) {
    noteDamage(error);
    return undefined;
  }
}

function countryCode(text: unknown): string | null {
  if (typeof text !== 'string' || !/^[a-z]{2}$/i.test(text)) return null;
  const code = text.toUpperCase();
  return NO_COUNTRY.has(code) ? null : code;
}
