/**
 * Shows Latchkey to new users: fills a running service with a small catalogue, or creates the history of a shop in a
 * separate database and starts a service on it.
 */
import { readCommandLine } from './command-line.ts';
import { connectToService, ScriptError } from './service-client.ts';

const USAGE = `Usage: npm run demo
       npm run demo -- --history [FOLDER] [--days DAYS] [--seed TEXT]

Without --history it stores a small catalogue with sales in the service that runs: at LATCHKEY_URL, else at
https://localhost and PORT. What it stores stays there; each run adds to it. Use it on a service whose data you can do
without. Countries are recorded when that service was started with LATCHKEY_COUNTRY_HEADER=x-country.

With --history it makes a shop with a past in a new folder, demo-data unless named, starts a service on it at HOST and PORT,
and lets its customers go on. It takes about a minute. A folder that holds such a shop is served as it is; one that holds
anything else is left alone. The same seed makes the same past; it has 90 days unless told otherwise.
`;
const FOLDER = 'demo-data';
const DAYS = 90;
const SEED = 'latchkey';

/** The parsed command; null for invalid arguments. */
function readArguments() {
  const options = { history: { type: 'boolean' }, days: { type: 'string' }, seed: { type: 'string' } } as const;
  const { values, positionals } = readCommandLine(USAGE, options, 1);
  const { history = false, days = String(DAYS), seed = SEED } = values;
  if (!history) return Object.keys(values).length + positionals.length === 0 ? ({ kind: 'catalogue' } as const) : null;
  const [folder = FOLDER] = positionals;
  if (!/^([1-9]|[1-9]\d|[12]\d\d|3[0-5]\d|36[0-5])$/.test(days)) return null;
  return { kind: 'history', folder, days: Number(days), seed } as const;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const asked = readArguments();
if (asked === null) {
  process.stderr.write(USAGE);
  process.exit(2);
}
try {
  // Loaded on demand, because the history imports the whole service.
  if (asked.kind === 'history') {
    const { showShop } = await import('./history/show-shop.ts');
    await showShop({ ...asked, environment: process.env, say });
  } else {
    const { storeSampleCatalogue } = await import('./sample-catalogue.ts');
    const service = connectToService(process.env);
    await storeSampleCatalogue(service, say);
    service.close();
  }
} catch (error) {
  if (!(error instanceof ScriptError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
