/** The command line of the benchmark: `npm run bench -- --engine postgres --licenses 100k`. */
import { LICENSES_PER_CUSTOMER, MAX_CUSTOMERS } from './customers.ts';
import { type DestinationsPlan, MATCHINGS, MAX_DESTINATIONS } from './destinations.ts';
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
import { ACTIVATIONS_PER_LICENSE } from './requests.ts';
import { MAX_TABS } from './tabs.ts';

const OPTIONS = {
  /** Latchkey, or a second control, which shows the noise of the machine around a ratio of 1. */
  subject: option('subject', 'latchkey', oneOf(['latchkey', 'control'])),
  engine: option('engine', 'sqlite', oneOf(ENGINES)),
  /** Number of Latchkey processes that share the database; only PostgreSQL can be shared. */
  nodes: option('nodes', '1', count(1, 16)),
  /** Folder of another checkout, whose Latchkey takes the place of the control; null for the control. */
  beside: optional('beside', path),
  endpoints: option('endpoint', ENDPOINTS.join(','), someOf(ENDPOINTS)),
  tls: option('tls', 'on', isOn),
  /** Number of licenses in the database. */
  licenses: option('licenses', '100k', count(100, 10_000_000)),
  /** Number of further licenses that are created through the API of each started Latchkey before it is measured. */
  filled: option('filled', '20k', count(0, 1_000_000)),
  /** Number of new machines that /activate binds to each license; null: half of the machines are known already. */
  machinesPerLicense: optional('machines-per-license', count(1, ACTIVATIONS_PER_LICENSE)),
  destinations: optional('destinations', count(1, MAX_DESTINATIONS)),
  matching: optional('matching', oneOf(MATCHINGS)),
  /** Customers at the pages of Latchkey, not of the server it is compared with; null for none. */
  customers: optional('customers', count(1, MAX_CUSTOMERS)),
  /** Open tabs of the console of Latchkey, not of the server it is compared with; null for none. */
  tabs: optional('tabs', count(1, MAX_TABS)),
  /** Keep-alive connections, each with one request in flight. */
  connections: option('connections', '64', count(1, 4096)),
  /** Length of one window. */
  windowSeconds: option('seconds', '0.2', amount(0.1, 600)),
  /** Number of pairs of windows per endpoint: one on the control, one on the subject. */
  windows: option('windows', '80', count(1, 1000)),
  /**
   * Number of measurements. Each starts both servers anew, because a process may be slow for its whole life.
   * Differences of a few percent need several: three starts of one comparison gave 0.95, 0.95 and 0.99.
   */
  starts: option('starts', '2', count(1, 100)),
  /** File for the figures as JSON; null for none. */
  jsonFile: optional('json', path),
};

/** Scope and length of the measurement. */
export interface Options extends Omit<ValuesOf<typeof OPTIONS>, 'destinations' | 'matching'> {
  /** Destinations of events on Latchkey, not on the server it is compared with; null for none. */
  readonly destinations: DestinationsPlan | null;
}

/** The output of `--help`. */
export const USAGE = `Measures Latchkey against a bare Node server that reads and answers the same bytes.

npm run bench -- [options]

  --engine sqlite|postgres   the database (sqlite)
  --nodes N                  processes of Latchkey on one PostgreSQL, 1 to 16 (1)
  --endpoint a,b             which of ${ENDPOINTS.join(', ')} (all)
  --tls on|off               HTTPS, or plain HTTP as behind a proxy (on)
  --licenses N               licenses in the database, 100 to 10M (100k)
  --filled N                 further licenses that are created through the API of each Latchkey first,
                             0 to 1M; a tenth of them is activated (20k)
  --machines-per-license N   /activate binds new machines alone, N to each license, 1 to 14
                             (half of the machines are known)
  --destinations N           active destinations of events, 1 to 100, on this Latchkey alone (none)
  --matching none|share      the events that they get: none, or each event goes to one of them (none)
  --customers N              customers who open a page every 10 s and sign in every 10 minutes,
                             1 to ${MAX_CUSTOMERS}, at this Latchkey alone (none)
  --tabs N                   open tabs of the console with a person at work, 1 to ${MAX_TABS}, at this Latchkey alone;
                             needs HTTPS and a Chromium (none)
  --connections N            keep-alive connections (64)
  --seconds N                length of one window (0.2)
  --windows N                windows per endpoint and server (80)
  --starts N                 measure N times, with servers started anew, and show the medians (2)
  --json FILE                also write all figures to FILE
  --beside FOLDER            compare with the Latchkey of another checkout, installed, instead of the control
  --subject latchkey|control control measures the control against itself: the noise (latchkey)
  --help                     this text
`;

/** See {@link valuesIn}. */
export function readOptions(args: readonly string[]): Options | null {
  const values = valuesIn(args, OPTIONS);
  if (values === null) return null;
  const { destinations, matching, ...options } = values;
  const { subject, engine, nodes, licenses, customers, tabs, tls, beside } = options;
  if (nodes > 1 && (engine !== 'postgres' || subject !== 'latchkey'))
    throw new OptionsError('--nodes needs --engine postgres: a SQLite file has one server');
  if (destinations === null && matching !== null) throw new OptionsError('--matching needs --destinations');
  if (customers !== null && licenses < customers * LICENSES_PER_CUSTOMER)
    throw new OptionsError(`--customers needs ${LICENSES_PER_CUSTOMER} licenses for each of them`);
  if (tabs !== null && !tls)
    throw new OptionsError('--tabs need HTTPS: a browser keeps the cookie of the console on no other line');
  for (const [name, value] of Object.entries({ destinations, customers, tabs }))
    if (value !== null && subject !== 'latchkey')
      throw new OptionsError(`--${name} are of Latchkey: leave --subject out`);
  if (beside !== null && subject !== 'latchkey')
    throw new OptionsError('--beside compares two Latchkeys: leave --subject out');
  return {
    ...options,
    destinations: destinations === null ? null : { count: destinations, matching: matching ?? 'none' },
  };
}
