/** The command line of the benchmark: `npm run bench -- --engine postgres --licenses 100k`. */
import { LICENSES_PER_CUSTOMER, MOST_CUSTOMERS } from './customers.ts';
import { type DestinationsPlan, MATCHINGS, MOST_DESTINATIONS } from './destinations.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { amount, count, ENGINES, OptionsError, oneOf, pathFrom, someOf, valuesIn } from './option-values.ts';
import { ACTIVATIONS_PER_LICENSE } from './requests.ts';
import { MOST_TABS } from './tabs.ts';

/** Scope and length of the measurement. */
export interface Options {
  /** Latchkey, or a second control, which shows the noise of the machine around a ratio of 1. */
  readonly subject: 'latchkey' | 'control';
  readonly engine: (typeof ENGINES)[number];
  /** Number of Latchkey processes that share the database; only PostgreSQL can be shared. */
  readonly nodes: number;
  readonly endpoints: readonly Endpoint[];
  readonly tls: boolean;
  /** Number of licenses in the database. */
  readonly licenses: number;
  /** Folder of another checkout, whose Latchkey takes the place of the control; null for the control. */
  readonly beside: string | null;
  /** Number of new machines that /activate binds to each license; null: half of the machines are known already. */
  readonly machinesPerLicense: number | null;
  /** Destinations of events on Latchkey, not on the server it is compared with; null for none. */
  readonly destinations: DestinationsPlan | null;
  /** Customers at the pages of Latchkey, not of the server it is compared with; null for none. */
  readonly customers: number | null;
  /** Open tabs of the console of Latchkey, not of the server it is compared with; null for none. */
  readonly tabs: number | null;
  /** Keep-alive connections, each with one request in flight. */
  readonly connections: number;
  /** Length of one window. */
  readonly windowSeconds: number;
  /** Number of pairs of windows per endpoint: one on the control, one on the subject. */
  readonly windows: number;
  /**
   * Number of measurements. Each starts both servers anew. Differences of a few percent need several: three starts of
   * one comparison gave 0.95, 0.95 and 0.99.
   */
  readonly starts: number;
  /** File for the figures as JSON; null for none. */
  readonly jsonFile: string | null;
}

/** The output of `--help`. */
export const USAGE = `Measures Latchkey against a bare Node server that reads and answers the same bytes.

npm run bench -- [options]

  --engine sqlite|postgres   the database (sqlite)
  --nodes N                  processes of Latchkey on one PostgreSQL, 1 to 16 (1)
  --endpoint a,b             which of ${ENDPOINTS.join(', ')} (all)
  --tls on|off               HTTPS, or plain HTTP as behind a proxy (on)
  --licenses N               licenses in the database, 100 to 10M (100k)
  --machines-per-license N   /activate binds new machines alone, N to each license, 1 to 14
                             (half of the machines are known)
  --destinations N           active destinations of events, 1 to 100, on this Latchkey alone (none)
  --matching none|share      the events that they get: none, or each event goes to one of them (none)
  --customers N              customers who open a page every 10 s and sign in every 10 minutes,
                             1 to ${MOST_CUSTOMERS}, at this Latchkey alone (none)
  --tabs N                   open tabs of the console with a person at work, 1 to ${MOST_TABS}, at this Latchkey alone;
                             needs HTTPS and a Chromium (none)
  --connections N            keep-alive connections (64)
  --seconds N                length of one window (0.2)
  --windows N                windows per endpoint and server (80)
  --starts N                 measure N times, with servers started anew, and show the medians (1)
  --json FILE                also write all figures to FILE
  --beside FOLDER            compare with the Latchkey of another checkout, installed, instead of the control
  --subject latchkey|control control measures the control against itself: the noise (latchkey)
  --help                     this text
`;

/**
 * Reads the command line.
 *
 * @param args without the program name
 * @returns null for `--help`
 * @throws OptionsError naming the first invalid option
 */
export function readOptions(args: readonly string[]): Options | null {
  const text = { type: 'string' } as const;
  const values = valuesIn(args, {
    subject: { ...text, default: 'latchkey' },
    beside: text,
    engine: { ...text, default: 'sqlite' },
    nodes: { ...text, default: '1' },
    endpoint: { ...text, default: ENDPOINTS.join(',') },
    tls: { ...text, default: 'on' },
    licenses: { ...text, default: '100k' },
    'machines-per-license': text,
    destinations: text,
    matching: text,
    customers: text,
    tabs: text,
    connections: { ...text, default: '64' },
    seconds: { ...text, default: '0.2' },
    windows: { ...text, default: '80' },
    starts: { ...text, default: '1' },
    json: text,
    help: { type: 'boolean', default: false },
  });
  if (values.help) return null;
  const machinesPerLicense = values['machines-per-license'];
  const options: Options = {
    subject: oneOf('subject', values.subject, ['latchkey', 'control']),
    engine: oneOf('engine', values.engine, ENGINES),
    nodes: count('nodes', values.nodes, 1, 16),
    beside: pathFrom(values.beside),
    endpoints: someOf('endpoint', values.endpoint, ENDPOINTS),
    tls: oneOf('tls', values.tls, ['on', 'off']) === 'on',
    licenses: count('licenses', values.licenses, 100, 10_000_000),
    machinesPerLicense:
      machinesPerLicense === undefined
        ? null
        : count('machines-per-license', machinesPerLicense, 1, ACTIVATIONS_PER_LICENSE),
    destinations:
      values.destinations === undefined
        ? null
        : {
            count: count('destinations', values.destinations, 1, MOST_DESTINATIONS),
            matching: oneOf('matching', values.matching ?? 'none', MATCHINGS),
          },
    customers: values.customers === undefined ? null : count('customers', values.customers, 1, MOST_CUSTOMERS),
    tabs: values.tabs === undefined ? null : count('tabs', values.tabs, 1, MOST_TABS),
    connections: count('connections', values.connections, 1, 4096),
    windowSeconds: amount('seconds', values.seconds, 0.1, 600),
    windows: count('windows', values.windows, 1, 1000),
    starts: count('starts', values.starts, 1, 100),
    jsonFile: pathFrom(values.json),
  };
  if (options.nodes > 1 && (options.engine !== 'postgres' || options.subject !== 'latchkey')) {
    throw new OptionsError('--nodes needs --engine postgres: a SQLite file has one server');
  }
  if (options.destinations !== null && options.subject !== 'latchkey') {
    throw new OptionsError('--destinations are of Latchkey: leave --subject out');
  }
  if (options.destinations === null && values.matching !== undefined) {
    throw new OptionsError('--matching needs --destinations');
  }
  if (options.customers !== null && options.subject !== 'latchkey') {
    throw new OptionsError('--customers are of Latchkey: leave --subject out');
  }
  if (options.customers !== null && options.licenses < options.customers * LICENSES_PER_CUSTOMER) {
    throw new OptionsError(`--customers needs ${LICENSES_PER_CUSTOMER} licenses for each of them`);
  }
  if (options.tabs !== null && options.subject !== 'latchkey') {
    throw new OptionsError('--tabs are of Latchkey: leave --subject out');
  }
  if (options.tabs !== null && !options.tls) {
    throw new OptionsError('--tabs need HTTPS: a browser keeps the cookie of the console on no other line');
  }
  if (options.beside !== null && options.subject !== 'latchkey') {
    throw new OptionsError('--beside compares two Latchkeys: leave --subject out');
  }
  return options;
}
