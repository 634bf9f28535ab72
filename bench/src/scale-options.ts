/** The command line of the scale measurement: `npm run scale -- --engine postgres --licenses 10M`. */
import { ENDPOINTS } from './endpoints.ts';
import {
  amount,
  count,
  ENGINES,
  isOn,
  OptionsError,
  oneOf,
  option,
  optional,
  path,
  someOf,
  type ValuesOf,
  valuesIn,
} from './option-values.ts';

/**
 * The measured parts, in order. The specials come last because they load only the server of the large database, and a
 * server that has been under load takes a quarter longer for long responses.
 */
export const PARTS = ['endpoints', 'reads', 'support', 'screens', 'specials'] as const;

export type Part = (typeof PARTS)[number];

/** With fewer licenses, some lists of the small database would not fill a page. */
const FEWEST_LICENSES = 10_000;

const OPTIONS = {
  engine: option('engine', 'sqlite', oneOf(ENGINES)),
  parts: optional('part', someOf(PARTS)),
  /** Client endpoints of the first part. */
  endpoints: option('endpoint', ENDPOINTS.join(','), someOf(ENDPOINTS)),
  /** Number of licenses in the small database. */
  small: option('small', '10k', count(FEWEST_LICENSES, 10_000_000)),
  /** Number of licenses in the large database. */
  large: option('licenses', '1M', count(FEWEST_LICENSES, 10_000_000)),
  tls: option('tls', 'on', isOn),
  /** Keep-alive connections, for endpoints and specials. */
  connections: option('connections', '64', count(1, 4096)),
  windowSeconds: option('seconds', '1', amount(0.1, 600)),
  windows: option('windows', '10', count(1, 1000)),
  /** File for the figures as JSON; null for none. */
  jsonFile: optional('json', path),
};

/** Scope and length of the measurement. */
export interface ScaleOptions extends Omit<ValuesOf<typeof OPTIONS>, 'parts' | 'small' | 'large'> {
  readonly parts: readonly Part[];
  /** Number of licenses in the small and in the large database. */
  readonly sizes: { readonly small: number; readonly large: number };
}

/** The output of `--help`. */
export const SCALE_USAGE = `Measures whether Latchkey's cost grows with what its database holds.

npm run scale -- [options]

  --engine sqlite|postgres   the database (sqlite)
  --part a,b                 which of ${PARTS.join(', ')} (all)
  --endpoint a,b             of the first part, which of ${ENDPOINTS.join(', ')} (all)
  --small N                  licenses of the small database, from 10k on (10k)
  --licenses N               licenses of the large database, up to 10M (1M)
  --tls on|off               HTTPS, or plain HTTP as behind a proxy (on)
  --connections N            keep-alive connections, for endpoints and specials (64)
  --seconds N                length of one window (1)
  --windows N                pairs of windows per figure (10)
  --json FILE                also write all figures to FILE
  --help                     this text
`;

/** See {@link valuesIn}. */
export function readScaleOptions(args: readonly string[]): ScaleOptions | null {
  const values = valuesIn(args, OPTIONS);
  if (values === null) return null;
  const { small, large, ...options } = values;
  if (small > large) throw new OptionsError('--small is larger than --licenses');
  // Browsers send the session cookie over HTTPS only.
  const parts = options.parts ?? PARTS.filter((part) => options.tls || part !== 'screens');
  if (parts.includes('screens') && !options.tls) throw new OptionsError('--part screens needs --tls on');
  return { ...options, parts, sizes: { small, large } };
}
