/** The command line of the soak test: `npm run soak -- --minutes 60`. */
import { amount, count, ENGINES, isOn, oneOf, option, type ValuesOf, valuesIn } from './option-values.ts';

const OPTIONS = {
  engine: option('engine', 'sqlite', oneOf(ENGINES)),
  minutes: option('minutes', '10', amount(0.1, 7 * 24 * 60)),
  tls: option('tls', 'on', isOn),
  /** Number of licenses in the database. */
  licenses: option('licenses', '50k', count(1000, 10_000_000)),
  /** Keep-alive connections, each with one request in flight. */
  connections: option('connections', '32', count(1, 500)),
};

/** Scope and length of the run. */
export type SoakOptions = ValuesOf<typeof OPTIONS>;

/** The output of `--help`. */
export const SOAK_USAGE = `Keeps Latchkey busy for a while and tells whether its memory grows.

npm run soak -- [options]

  --minutes N                how long (10)
  --engine sqlite|postgres   the database (sqlite)
  --tls on|off               HTTPS, or plain HTTP as behind a proxy (on)
  --licenses N               licenses in the database, 1k to 10M (50k)
  --connections N            keep-alive connections (32)
  --help                     this text
`;

/** See {@link valuesIn}. */
export function readSoakOptions(args: readonly string[]): SoakOptions | null {
  return valuesIn(args, OPTIONS);
}
