/** The command line of the soak test: `npm run soak -- --minutes 60`. */
import { amount, count, ENGINES, oneOf, valuesIn } from './option-values.ts';

/** Scope and length of the run. */
export interface SoakOptions {
  readonly engine: (typeof ENGINES)[number];
  readonly minutes: number;
  readonly tls: boolean;
  /** Number of licenses in the database. */
  readonly licenses: number;
  /** Keep-alive connections, each with one request in flight. */
  readonly connections: number;
}

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

/**
 * Reads the command line.
 *
 * @param args without the program name
 * @returns null for `--help`
 * @throws OptionsError naming the first invalid option
 */
export function readSoakOptions(args: readonly string[]): SoakOptions | null {
  const text = { type: 'string' } as const;
  const values = valuesIn(args, {
    minutes: { ...text, default: '10' },
    engine: { ...text, default: 'sqlite' },
    tls: { ...text, default: 'on' },
    licenses: { ...text, default: '50k' },
    connections: { ...text, default: '32' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return null;
  return {
    engine: oneOf('engine', values.engine, ENGINES),
    minutes: amount('minutes', values.minutes, 0.1, 7 * 24 * 60),
    tls: oneOf('tls', values.tls, ['on', 'off']) === 'on',
    licenses: count('licenses', values.licenses, 1000, 10_000_000),
    connections: count('connections', values.connections, 1, 500),
  };
}
