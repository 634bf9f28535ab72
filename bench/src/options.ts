/** The command line: `npm run bench -- --engine postgres --licenses 100k`. */
import { parseArgs } from 'node:util';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';

/** What to measure and how long. */
export interface Options {
  /** Latchkey, or a second control: what comes out then is the noise of the machine around a ratio of 1. */
  readonly subject: 'latchkey' | 'control';
  readonly engine: 'sqlite' | 'postgres';
  readonly endpoints: readonly Endpoint[];
  readonly tls: boolean;
  /** How many licenses the database holds. */
  readonly licenses: number;
  /** Keep-alive connections, each with one request in flight. */
  readonly connections: number;
  /** Length of one window. */
  readonly windowSeconds: number;
  /** How many pairs of windows per endpoint: one on the control, one on the subject. */
  readonly windows: number;
  /** Where to write the figures as JSON too; null: nowhere. */
  readonly jsonFile: string | null;
}

/** What `--help` prints. */
export const USAGE = `Measures Latchkey against a bare Node server that reads and answers the same bytes.

npm run bench -- [options]

  --engine sqlite|postgres   the database (sqlite)
  --endpoint a,b             which of ${ENDPOINTS.join(', ')} (all)
  --tls on|off               HTTPS, or plain HTTP as behind a proxy (on)
  --licenses N               licenses in the database, 10k to 10M (100k)
  --connections N            keep-alive connections (64)
  --seconds N                length of one window (1)
  --windows N                windows per endpoint and server (15)
  --json FILE                also write all figures to FILE
  --subject latchkey|control control measures the control against itself: the noise (latchkey)
  --help                     this text
`;

/** The command line cannot be used; the message says why. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/**
 * Reads the command line.
 *
 * @param args without the program's own name
 * @returns null when help was asked for
 * @throws OptionsError naming the first option that is wrong
 */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  return {
    subject: oneOf('subject', values.subject, ['latchkey', 'control']),
    engine: oneOf('engine', values.engine, ['sqlite', 'postgres']),
    endpoints: endpointsIn(values.endpoint),
    tls: oneOf('tls', values.tls, ['on', 'off']) === 'on',
    licenses: count('licenses', values.licenses, 100, 10_000_000),
    connections: count('connections', values.connections, 1, 4096),
    windowSeconds: seconds(values.seconds),
    windows: count('windows', values.windows, 1, 1000),
    jsonFile: values.json ?? null,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        subject: { ...text, default: 'latchkey' },
        engine: { ...text, default: 'sqlite' },
        endpoint: { ...text, default: ENDPOINTS.join(',') },
        tls: { ...text, default: 'on' },
        licenses: { ...text, default: '100k' },
        connections: { ...text, default: '64' },
        seconds: { ...text, default: '1' },
        windows: { ...text, default: '15' },
        json: text,
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new OptionsError((error as Error).message);
  }
}

function oneOf<const Choice extends string>(name: string, given: string, choices: readonly Choice[]): Choice {
  const chosen = choices.find((choice) => choice === given);
  if (chosen !== undefined) return chosen;
  throw new OptionsError(`--${name} is ${given}; it must be one of ${choices.join(', ')}`);
}

function endpointsIn(given: string): Endpoint[] {
  const named = new Set(given.split(',').map((name) => oneOf('endpoint', name.trim(), ENDPOINTS)));
  return ENDPOINTS.filter((endpoint) => named.has(endpoint));
}

/** A whole number, which may end in k (thousands) or M (millions). */
function count(name: string, given: string, least: number, most: number): number {
  const [, digits, unit] = /^(\d{1,9})([kM]?)$/.exec(given) ?? [];
  const number = Number(digits) * (unit === 'M' ? 1_000_000 : unit === 'k' ? 1000 : 1);
  if (number >= least && number <= most) return number;
  throw new OptionsError(
    `--${name} is ${given}; it must be a whole number from ${least} to ${most}, such as 10k or 2M`,
  );
}

function seconds(given: string): number {
  const number = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  if (number >= 0.1 && number <= 600) return number;
  throw new OptionsError(`--seconds is ${given}; it must be a number from 0.1 to 600`);
}
