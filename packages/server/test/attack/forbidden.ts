/** Forbidden outcomes of an attack: statuses, growth, and people who are shut out. */
import { SIGN_INS_PER_HOUR } from '../../src/access/console/sign-in-limit.ts';
import { MAX_TO_ADDRESS } from '../../src/customers/mail/mail-rates.ts';
import { LIMITS } from '../../src/customers/self-service/settings.ts';
import { DEFAULTS } from '../../src/runtime/config/variables.ts';
import { MAX_OF_CREATOR } from '../../src/webhooks/destinations/destination.ts';
import type { AttackReport } from './attack-report.ts';
import { type AttackName, SHARED_SERVICE } from './attacks.ts';
import { bystanderErrors } from './bystanders.ts';

/** Growth of the database that an attack may cause in a minute, in addition to the customer. */
const MAX_GROWTH_BYTES_A_MINUTE = 50_000_000;
/** In a short attack so much growth says nothing: a database takes room ahead of time. */
const LEAST_GROWTH_JUDGED = 8_000_000;

const ANY = Number.POSITIVE_INFINITY;
const TRIALS_AN_HOUR = Number(DEFAULTS.LATCHKEY_TRIAL_RATE);
const CODES_AN_HOUR = LIMITS.requestsOfNetwork;
const WRONG_SECRETS_A_MINUTE = Number(DEFAULTS.LATCHKEY_WRONG_SECRET_RATE);

/** Statuses that an attacker may get, and the maximum number of each. */
const EXPECTED: Readonly<Record<AttackName, (minutes: number) => Readonly<Record<string, number>>>> = {
  'long query strings': () => ({ 400: ANY, 503: ANY }),
  'one pipelining connection': () => ({ 200: TRIALS_AN_HOUR, 429: ANY, 503: ANY }),
  'trials without end': () => ({ 200: TRIALS_AN_HOUR, 429: ANY, 503: ANY }),
  'guessed secrets': (minutes) => ({ 401: WRONG_SECRETS_A_MINUTE * (Math.ceil(minutes) + 1), 429: ANY, 503: ANY }),
  'sign-ins without end': () => ({ 200: SIGN_INS_PER_HOUR, 429: ANY, 503: ANY }),
  'license files without end': () => ({ 200: ANY, 429: ANY, 503: ANY }),
  'refused calls with long names': () => ({ 403: ANY, 429: ANY, 503: ANY }),
  'destinations that point inside': () => ({ 200: MAX_OF_CREATOR, 400: ANY, 409: ANY, 429: ANY, 503: ANY }),
  'costly searches of a creator': () => ({ 200: ANY, 429: ANY, 503: ANY }),
  'costly searches from sixteen networks': () => ({ 200: ANY, 429: ANY, 503: ANY }),
  'forms that ask for codes': () => ({ 303: CODES_AN_HOUR, 429: ANY, 503: ANY }),
  'forms from sixteen networks': () => ({ 303: 16 * CODES_AN_HOUR, 429: ANY, 503: ANY }),
  'slow forms': () => ({ 303: CODES_AN_HOUR, 400: ANY, 408: ANY, 429: ANY, 503: ANY }),
  'slow forms from sixteen networks': () => ({ 303: 16 * CODES_AN_HOUR, 400: ANY, 408: ANY, 429: ANY, 503: ANY }),
  'keys that are mailed without end': () => ({ 200: MAX_TO_ADDRESS, 429: ANY, 503: ANY }),
  'reads that ask to be kept': () => ({ 200: ANY, 503: ANY }),
  'lists that nobody reads': () => ({}),
  'documents that nobody reads': () => ({}),
  'requests that wait behind a document': () => ({}),
  'readers of one byte a second': () => ({}),
  "viewers' tabs": () => ({ 200: ANY, 503: ANY }),
  'a campus of apps': () => ({ 200: ANY }),
  'idle and slow connections': () => ({ 200: ANY, 408: ANY, 503: ANY }),
  'slow connections at the end': () => ({ 408: ANY, 503: ANY }),
};

/** The forbidden outcomes of an attack, or of the quiet. */
export function errorsOf(report: Omit<AttackReport, 'errors'>, maxMemoryBytes: number, durationMs: number): string[] {
  const { attack, customer, meanwhile, statuses, peakMemoryBytes, growthBytes, keptAnswers, ended } = report;
  const errors: string[] = [];
  for (const path of ['verify', 'validate'] as const) {
    const { count, statuses: seen } = customer[path];
    if (count === 0 || seen['200'] !== count)
      errors.push(`the customer's /${path} was answered ${JSON.stringify(seen)}`);
  }
  if (attack !== null) {
    const expected = EXPECTED[attack](durationMs / 60_000);
    for (const [status, count] of Object.entries(statuses)) {
      const most = expected[status] ?? 0;
      if (count > most) errors.push(`the attacker was answered ${status} ${count} times, ${most} at most are right`);
    }
  }
  if (attack !== null && SHARED_SERVICE.has(attack)) errors.push(...bystanderErrors(meanwhile));
  if (peakMemoryBytes > maxMemoryBytes)
    errors.push(`the service held ${peakMemoryBytes} bytes of memory, ${maxMemoryBytes} at most are right`);
  const maxGrowthBytes = Math.max((MAX_GROWTH_BYTES_A_MINUTE * durationMs) / 60_000, LEAST_GROWTH_JUDGED);
  if (growthBytes > maxGrowthBytes)
    errors.push(`the database grew by ${growthBytes} bytes, ${Math.round(maxGrowthBytes)} at most are right`);
  if (keptAnswers > 0) errors.push(`${keptAnswers} answers were kept`);
  if (ended !== undefined && ended.code !== 0)
    errors.push(ended.code === null ? 'the service did not end' : `it ended with ${ended.code}`);
  return errors;
}
