/** The forms of configuration values: each parses text into a value or says which values are accepted. */
import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import { canonicalAddress, isIpv6 } from '../../ground/base/network-address.ts';
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from '../../ground/base/web-address.ts';
import { PostgresUrlError, splitPostgresUrl } from '../../storage/postgres/postgres-url.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** The log levels, from the least output to the most. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Parses the text of a variable, or throws {@link ConfigValueError}. */
export type Form<Value> = (text: string) => Value;

/** The text is not of the form. The message completes a sentence that begins with the variable's name. */
export class ConfigValueError extends Error {}

/**
 * Reads a number with its unit, such as `90s`, `15m`, `12h` or `30d`, as milliseconds. `range` states the bounds in
 * words.
 */
export function duration(leastMs: number, maxMs: number, range: string): Form<number> {
  const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
  return (text) => {
    const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
    const milliseconds = Number(count) * (unitsMs[unit ?? ''] ?? Number.NaN);
    if (milliseconds >= leastMs && milliseconds <= maxMs) return milliseconds;
    throw new ConfigValueError(`is ${quoted(text)}; it must be a duration such as 90s, 15m, 12h or 30d, ${range}`);
  };
}

/** Numbers of days before something, such as `7d,1d`, each once and at most `maxDays`, as milliseconds. */
export function daysBefore(maxEntries: number, maxDays: number): Form<readonly number[]> {
  return (text) => {
    const days = text.split(',').map((part) => Number(/^ *([1-9]\d{0,3})d *$/.exec(part)?.[1]));
    const isEachValid = days.every((each, index) => each <= maxDays && days.indexOf(each) === index);
    if (isEachValid && days.length <= maxEntries) return days.map((each) => each * DAY_MS);
    throw new ConfigValueError(
      `is ${quoted(text)}; it must be up to ${maxEntries} different numbers of days from 1d to ${maxDays}d, such as 7d,1d`,
    );
  };
}

export const MIB = 1024 ** 2;

/** Reads a whole number of MiB, such as `64M`, as bytes. `range` states the bounds in words. */
export function bytes(least: number, most: number, range: string): Form<number> {
  return (text) => {
    const [, count] = /^(\d{1,6})M$/.exec(text) ?? [];
    const number = Number(count) * MIB;
    if (number >= least && number <= most) return number;
    throw new ConfigValueError(`is ${quoted(text)}; it must be a number of mebibytes such as 64M, ${range}`);
  };
}

/** Accepts the durations of another form, or `0` without a unit. */
export function orZero(form: Form<number>): Form<number> {
  return (text) => (text === '0' ? 0 : form(text));
}

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number): Form<number> {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new ConfigValueError(`is ${quoted(text)}; it must be a whole number from ${least} to ${most}`);
  };
}

/** Accepts the values of another form, or `off`. */
export function orOff<Value>(form: Form<Value>): Form<Value | 'off'> {
  return (text) => {
    if (text === 'off') return 'off';
    try {
      return form(text);
    } catch (error) {
      throw error instanceof ConfigValueError ? new ConfigValueError(`${error.message}, or off`) : error;
    }
  };
}

/** `on` or `off`. */
export const onOrOff: Form<boolean> = (text) => {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new ConfigValueError(`is ${quoted(text)}; it must be on or off`);
};

/** A path. Relative paths become absolute, starting at `startDirectory`. */
export function path(startDirectory: string): Form<string> {
  return (text) => {
    // Certificates and keys are sometimes pasted in place of their path. The error must not show pasted text.
    if (/[\r\n\0]|-----BEGIN/.test(text))
      throw new ConfigValueError('must be the path of a file, not the contents of one');
    if (text.trim() !== text)
      throw new ConfigValueError(`is ${quoted(text)}; it must be a path without blanks around it`);
    return resolve(startDirectory, text);
  };
}

/** The host to listen on: a name or an address. */
export const host: Form<string> = (text) => {
  const isName = /^(?=.{1,253}$)[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*\.?$/i.test(text);
  if (isIP(text) !== 0 || (isName && !/^[\d.]+$/.test(text))) return text;
  throw new ConfigValueError(
    `is ${quoted(text)}; it must be a host name or an address without port or brackets, such as ::`,
  );
};

/** Host names separated by commas, without ports. */
export const hostNames: Form<readonly string[]> = (text) => text.split(',').map((part) => host(part.trim()));

/** The URL of a PostgreSQL database, with one host or several. */
export const postgresUrl: Form<string> = (text) => {
  if (hasControlCharacter(text)) throw new ConfigValueError(NO_CONTROL_CHARACTERS);
  // The text is not shown because it usually contains a password.
  if (/^postgres(ql)?:\/\//.test(text)) {
    const [first = ''] = hostsOf(text);
    if (URL.canParse(first)) {
      const wanted = new URL(first).searchParams.get('target_session_attrs');
      if (wanted === null || wanted === 'read-write' || wanted === 'primary') return text;
      throw new ConfigValueError('must ask for no other target_session_attrs than read-write: the service writes');
    }
  }
  throw new ConfigValueError('must be a URL that begins with postgres:// or postgresql://; without it SQLite is used');
};

/** The name of a schema that needs no quotation marks. */
export const schemaName: Form<string> = (text) => {
  if (/^[a-z_][a-z\d_]{0,62}$/.test(text)) return text;
  throw new ConfigValueError(
    `is ${quoted(text)}; it must be the name of a schema: 1 to 63 small letters, digits and underscores, no digit first`,
  );
};

function hostsOf(url: string): readonly string[] {
  try {
    return splitPostgresUrl(url);
  } catch (error) {
    throw error instanceof PostgresUrlError ? new ConfigValueError(error.message) : error;
  }
}

/** A secret that callers send. */
export const secret: Form<string> = (text) => {
  const error = secretError(text);
  if (error === null) return text;
  throw new ConfigValueError(error);
};

/** One of the log levels. */
export const logLevel: Form<LogLevel> = (text) => {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level !== undefined) return level;
  throw new ConfigValueError(`is ${quoted(text)}; it must be one of ${LOG_LEVELS.join(', ')}`);
};

/** Addresses and networks of both families, separated by commas. */
export const proxies: Form<BlockList> = (text) => {
  const list = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [, written = '', prefix] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const address = canonicalAddress(written);
    const bits = address === null || isIpv6(address) ? 128 : 32;
    // An IPv4 network that is written as IPv6 has a prefix that is 96 bits longer.
    const before = (written.includes(':') ? 128 : 32) - bits;
    const prefixLength = prefix === undefined ? bits : Number(prefix) - before;
    // A prefix of 0 would trust everybody, and so serve plain HTTP to everybody.
    if (address === null || prefixLength < 1 || prefixLength > bits) {
      throw new ConfigValueError(
        `has the entry ${quoted(entry)}; each must be an address or a network such as 10.0.0.0/8 or fd00::/8 (no /0)`,
      );
    }
    list.addSubnet(address, prefixLength, bits === 32 ? 'ipv4' : 'ipv6');
  }
  return list;
};

/** Networks of both families in CIDR notation, or single addresses, separated by commas. */
export const networks: Form<readonly string[]> = (text) =>
  text.split(',').map((part) => {
    const entry = part.trim();
    const [, address = '', prefix] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const bits = isIP(address) === 6 ? 128 : 32;
    const prefixLength = prefix === undefined ? bits : Number(prefix);
    if (isIP(address) !== 0 && prefixLength >= 1 && prefixLength <= bits) return `${address}/${prefixLength}`;
    throw new ConfigValueError(
      `has the entry ${quoted(entry)}; each must be an address or a network such as 10.2.0.0/16 or fd00::/8 (no /0)`,
    );
  });

/** Addresses of name servers, each with a port if it is not 53, separated by commas. */
export const nameServers: Form<readonly string[]> = (text) =>
  text.split(',').map((part) => {
    const entry = part.trim();
    const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? [];
    if (isIP(bracketed ?? plain ?? entry) !== 0) return entry;
    throw new ConfigValueError(
      `has the entry ${quoted(entry)}; each must be the address of a name server, such as 192.0.2.53 or [2001:db8::53]:5353`,
    );
  });

/** Origins of web pages separated by commas, or `*` for all. As browsers write them: lower case, no path. */
export const origins: Form<ReadonlySet<string> | '*'> = (text) => {
  if (text.trim() === '*') return '*';
  const list = text.split(',').map((part) => part.trim());
  for (const origin of list)
    if (!/^[a-z][a-z\d+.-]{0,30}:\/\/[a-z\d.:[\]-]{1,260}$/.test(origin))
      throw new ConfigValueError(
        `has the entry ${quoted(origin)}; each must be an origin in lower case such as https://app.example.com, or the ` +
          'whole must be *',
      );
  return new Set(list);
};

/** The name of a request header, converted to lower case because node:http keeps header names so. */
export const headerName: Form<string> = (text) => {
  if (/^[!#$%&'*+.^_`|~\da-z-]{1,100}$/i.test(text)) return text.toLowerCase();
  throw new ConfigValueError(`is ${quoted(text)}; it must be the name of an HTTP header, such as cf-ipcountry`);
};

/** A short text that is shown to people. */
export const label: Form<string> = (text) => {
  if (/^[^\p{Cc}\p{Cf}]{1,40}$/u.test(text) && text.trim() === text) return text;
  throw new ConfigValueError(`is ${quoted(text)}; it must have 1 to 40 characters and no blanks at its ends`);
};

/**
 * Returns the reason why a secret cannot be used, as the end of a sentence that begins with the secret's place, or
 * null. Secrets travel in headers, so they are printable ASCII without blanks at the ends. The reason never contains
 * the secret itself.
 */
export function secretError(text: string): string | null {
  const errors: string[] = [];
  if (text.length < 16 || text.length > 256) errors.push('must have 16 to 256 characters');
  if (text.trim() !== text) errors.push('must have no blanks at its ends');
  if (!/^[\x20-\x7e]*$/.test(text.trim())) errors.push('must consist of printable ASCII characters');
  return errors.length === 0 ? null : errors.join(' and ');
}

/** Quotes a value for an error message: on one line, shortened to its beginning. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
