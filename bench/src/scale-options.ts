/** The command line of the scale measurement: `npm run scale -- --engine postgres --licenses 10M`. */
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { amount, count, ENGINES, OptionsError, oneOf, pathFrom, someOf, valuesIn } from './option-values.ts';

/**
 * The measured parts, in order. The specials come last because they load only the server of the large database, and a
 * server that has been under load takes a quarter longer for long responses.
 */
export const PARTS = ['endpoints', 'reads', 'support', 'screens', 'specials'] as const;

export type Part = (typeof PARTS)[number];

/** With fewer licenses, some lists of the small database would not fill a page. */
const FEWEST_LICENSES = 10_000;

/** Scope and length of the measurement. */
export interface ScaleOptions {
  readonly engine: (typeof ENGINES)[number];
  readonly parts: readonly Part[];
  /** Client endpoints of the first part. */
  readonly endpoints: readonly Endpoint[];
  /** Number of licenses in the small and in the large database. */
  readonly sizes: { readonly small: number; readonly large: number };
  readonly tls: boolean;
  /** Keep-alive connections, for endpoints and specials. */
  readonly connections: number;
  readonly windowSeconds: number;
  readonly windows: number;
  /** File for the figures as JSON; null for none. */
  readonly jsonFile: string | null;
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

/**
 * Reads the command line.
 *
 * @param args without the program name
 * @returns null for `--help`
 * @throws OptionsError naming the first invalid option
 */
export function readScaleOptions(args: readonly string[]): ScaleOptions | null {
  const text = { type: 'string' } as const;
  const values = valuesIn(args, {
    engine: { ...text, default: 'sqlite' },
    part: text,
    endpoint: { ...text, default: ENDPOINTS.join(',') },
    small: { ...text, default: '10k' },
    licenses: { ...text, default: '1M' },
    tls: { ...text, default: 'on' },
    connections: { ...text, default: '64' },
    seconds: { ...text, default: '1' },
    windows: { ...text, default: '10' },
    json: text,
    help: { type: 'boolean', default: false },
  });
  if (values.help) return null;
  const sizes = {
    small: count('small', values.small, FEWEST_LICENSES, 10_000_000),
    large: count('licenses', values.licenses, FEWEST_LICENSES, 10_000_000),
  };
  if (sizes.small > sizes.large) throw new OptionsError('--small is larger than --licenses');
  const tls = oneOf('tls', values.tls, ['on', 'off']) === 'on';
  // Browsers send the session cookie over HTTPS only.
  const possible = PARTS.filter((part) => tls || part !== 'screens');
  const parts = values.part === undefined ? possible : someOf('part', values.part, PARTS);
  if (parts.includes('screens') && !tls) throw new OptionsError('--part screens needs --tls on');
  return {
    engine: oneOf('engine', values.engine, ENGINES),
    parts,
    endpoints: someOf('endpoint', values.endpoint, ENDPOINTS),
    sizes,
    tls,
    connections: count('connections', values.connections, 1, 4096),
    windowSeconds: amount('seconds', values.seconds, 0.1, 600),
    windows: count('windows', values.windows, 1, 1000),
    jsonFile: pathFrom(values.json),
  };
}
