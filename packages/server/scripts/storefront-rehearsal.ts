/**
 * Rehearses a storefront's year against a running service: buys, renews, refunds and disputes, delivers events late,
 * twice, concurrently and out of order, and checks that every license ends in the state that the rules require.
 */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DAY_MS, fromTimestamp, systemClock } from '../src/ground/base/clock.ts';
import { mintUuid } from '../src/ground/base/random.ts';
import { readCommandLine } from './command-line.ts';
import { startOwnService } from './own-service.ts';
import { type Answer, connectToService, type ServiceClient } from './service-client.ts';

/** The service of the rehearsal. */
interface Stage {
  readonly service: ServiceClient;
  /** Moves the clock by days; null for a service with its own clock. */
  readonly passDays: ((days: number) => void) | null;
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;

const USAGE = `Usage: npm run rehearse                       a separate service, whose clock it moves through the year
       npm run rehearse -- https://host:8443  your service; secrets from LATCHKEY_ADMIN_SECRET and LATCHKEY_WEBHOOK_SECRET

Plays a year of a storefront's events, and checks that every license ends in the state that the rules require. Exits with
1 after a failed check.

On your service it leaves licenses of a product "rehearsal-..." behind. If this machine does not trust the service's
certificate, set NODE_EXTRA_CA_CERTS.
`;

const [url] = readCommandLine(USAGE, {}, 1).positionals;
const stage = url === undefined ? await ownStage() : visitedStage(url);
const { service } = stage;
const productId = `rehearsal-${mintUuid()}`;
let checks = 0;
let errors = 0;

/** A service in this process, on a temporary database. */
async function ownStage(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-rehearsal-'));
  let now = systemClock();
  const { service, stop } = await startOwnService({
    directory,
    clock: () => now,
  });
  return {
    service,
    passDays: (days) => {
      now += days * DAY_MS;
    },
    async close() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function visitedStage(address: string): Stage {
  const client = connectToService({ ...process.env, LATCHKEY_URL: address });
  return { service: client, passDays: null, close: async () => client.close() };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Compares and prints the result. */
function check(what: string, found: unknown, expected: unknown): void {
  checks += 1;
  if (isDeepStrictEqual(found, expected)) say(`  ok     ${what}`);
  else {
    errors += 1;
    say(`  WRONG  ${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  }
}

function admin(path: string, fields: Fields): Promise<Answer> {
  return service.post(path, fields, { 'X-Admin-Secret': service.adminSecret });
}

/** A customer with a purchase. */
interface Customer {
  readonly email: string;
  readonly purchaseId: string;
}

function newCustomer(): Customer {
  return { email: `${mintUuid()}@example.com`, purchaseId: `rehearsal-${mintUuid()}` };
}

function report(type: string, customer: Customer, fields: Fields = {}): Promise<Answer> {
  const event = { type, productId, ...customer, amount: 19.9, currency: 'EUR', ...fields };
  return service.post('/storefrontWebhook', event, { 'x-webhook-secret': service.webhookSecret });
}

const buy = (customer: Customer, fields?: Fields) => report('purchase.completed', customer, fields);
const renew = (customer: Customer) => report('subscription.renewed', customer, { durationDays: 30 });
const refund = (customer: Customer) => report('purchase.refunded', customer);
const dispute = (customer: Customer) => report('purchase.disputed', customer);

/** The state of a customer's licenses; `days` is the duration of the first one from its purchase. */
async function outcomeFor({ email }: Customer) {
  const { licenses } = (await admin('/listLicenses', { email, productId })).body;
  const licenseKey: string = licenses.at(-1)?.key;
  const { license, violations } = (await admin('/getLicense', { licenseKey })).body;
  const { purchasedAt, expiresAt, status, threatLevel, disputeReason } = license;
  const days = expiresAt === null ? null : (fromTimestamp(expiresAt) - fromTimestamp(purchasedAt)) / DAY_MS;
  return { licenses: licenses.length, days, status, threatLevel, disputeReason, violations: violations.length };
}

const UNDISTURBED = { licenses: 1, status: 'active', threatLevel: 0, disputeReason: null, violations: 0 };

/** The result for a client application: 200 or the error. */
async function verify(licenseKey: string): Promise<unknown> {
  const { status, body } = await service.post('/verify', { licenseKey, productId });
  return status === 200 ? 200 : body.error;
}

const times = <T>(count: number, act: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));

async function purchaseDeliveredOften(): Promise<void> {
  const customer = newCustomer();
  const answers = await times(20, () => buy(customer));
  check('all 20 are accepted', new Set(answers.map(({ status }) => status)), new Set([200]));
  check('with one license key', new Set(answers.map(({ body }) => body.licenseKey)).size, 1);
  check('and one is the first', answers.filter(({ body }) => !body.duplicate).length, 1);
  check('the license is perpetual', await outcomeFor(customer), { ...UNDISTURBED, days: null });
}

async function yearOfSubscription(): Promise<void> {
  const customer = newCustomer();
  const { licenseKey } = (await buy(customer, { durationDays: 30 })).body;
  for (let month = 2; month <= 12; month++) {
    stage.passDays?.(29);
    check(`month ${month}: the license works when the renewal comes`, await verify(licenseKey), 200);
    await renew(customer);
  }
  check('twelve months are 360 days', await outcomeFor(customer), { ...UNDISTURBED, days: 360 });
  await report('subscription.cancelled', customer);
  check('cancelling changes nothing', await outcomeFor(customer), { ...UNDISTURBED, days: 360 });
  if (stage.passDays === null) return say('  (the end of the year needs a clock of our own)');
  stage.passDays(360 - 11 * 29 - 1);
  check('it works on its last day', await verify(licenseKey), 200);
  stage.passDays(1);
  check('and not after it', await verify(licenseKey), 'License has expired');
  stage.passDays(10);
  await renew(customer);
  check('a renewal ten days late makes it work again', await verify(licenseKey), 200);
  check('for 30 days from that day on', await outcomeFor(customer), { ...UNDISTURBED, days: 360 + 10 + 30 });
}

async function periodsWithPurchasesOfTheirOwn(): Promise<void> {
  const customer = newCustomer();
  await buy(customer, { durationDays: 30 });
  for (let period = 2; period <= 4; period++) await renew({ ...newCustomer(), email: customer.email });
  check('each extends the one license', await outcomeFor(customer), { ...UNDISTURBED, days: 120 });
}

async function refunds(): Promise<void> {
  const customer = newCustomer();
  const { licenseKey } = (await buy(customer)).body;
  const refunded = { licenses: 1, days: null, status: 'revoked', threatLevel: 4, disputeReason: 'refund' };
  await refund(customer);
  check('the license is revoked', await outcomeFor(customer), { ...refunded, violations: 1 });
  check('and refused', await verify(licenseKey), 'License has been revoked');
  await refund(customer);
  check('a second refund applies a second time', await outcomeFor(customer), { ...refunded, violations: 2 });
  const { body } = await buy(customer);
  check('a late copy of the purchase is a duplicate', [body.licenseKey, body.duplicate], [licenseKey, true]);
  check('and revives nothing', await outcomeFor(customer), { ...refunded, violations: 2 });
}

async function disputes(): Promise<void> {
  const customer = newCustomer();
  const { licenseKey } = (await buy(customer)).body;
  await dispute(customer);
  await refund(customer);
  const disputed = { licenses: 1, days: null, status: 'revoked', threatLevel: 4, disputeReason: 'chargeback' };
  check('a refund after it softens nothing', await outcomeFor(customer), { ...disputed, violations: 2 });
  const override = await admin('/updateLicense', { licenseKey, status: 'active' });
  check(
    '/updateLicense does not undo it',
    [override.status, await verify(licenseKey)],
    [409, 'License has been revoked'],
  );
  await admin('/reinstateLicense', { licenseKey });
  check('/reinstateLicense does', await outcomeFor(customer), { ...UNDISTURBED, days: null, violations: 2 });
}

async function eventsBeforeTheirPurchase(): Promise<void> {
  const customer = newCustomer();
  const early = [await refund(customer), await dispute(customer), await renew(customer)];
  check(
    'all are to be delivered again',
    early.map(({ status }) => status),
    [404, 404, 404],
  );
  await buy(customer, { durationDays: 30 });
  check('the purchase is not harmed by them', await outcomeFor(customer), { ...UNDISTURBED, days: 30 });
  await refund(customer);
  check('delivered again, the refund revokes', (await outcomeFor(customer)).status, 'revoked');
}

async function contestedTrialCode(): Promise<void> {
  const code = `rehearsal-${mintUuid()}`;
  await admin('/createDiscountCode', { code, trialDays: 14, maxUses: 5, productId });
  const buyers = Array.from({ length: 10 }, newCustomer);
  const [redeemed] = await Promise.all([
    times(10, () => service.post('/redeemTrialCode', { code, productId, email: newCustomer().email })),
    times(10, (at) => buy(buyers[at] as Customer, { discountCode: code.toUpperCase() })),
  ]);
  const outcomes = await Promise.all(buyers.map(outcomeFor));
  check('every buyer has a license', new Set(outcomes.map(({ licenses }) => licenses)), new Set([1]));
  const trials = outcomes.filter(({ days }) => days === 14).length;
  check('exactly 5 got the trial', redeemed.filter(({ status }) => status === 200).length + trials, 5);
  const { codes } = (await admin('/listDiscountCodes', { productId })).body;
  check('and the code has counted them', codes[0].usedCount, 5);
  await admin('/deleteDiscountCode', { code });
}

/** Deliveries per event, on average, after which the storm gives up. */
const MAX_DELIVERIES = 50;

/** Delivers all events in random order, eight at a time, each until it is accepted. */
async function deliverShuffled(deliveries: (() => Promise<Answer>)[]): Promise<number> {
  const queue = [...deliveries];
  let attempts = 0;
  const deliver = async () => {
    for (;;) {
      const [next] = queue.length === 0 ? [] : queue.splice(randomInt(queue.length), 1);
      if (next === undefined) return;
      attempts += 1;
      if (attempts > MAX_DELIVERIES * deliveries.length) throw new Error('some events are never accepted');
      const { status } = await next();
      if (status === 404) queue.push(next);
      else if (status !== 200) throw new Error(`a delivery was answered ${status}`);
    }
  };
  await times(8, deliver);
  return attempts;
}

async function stormyPost(): Promise<void> {
  const endings = [
    { status: 'active', threatLevel: 0, disputeReason: null, violations: 0, events: [] },
    { status: 'revoked', threatLevel: 4, disputeReason: 'refund', violations: 1, events: [refund] },
    { status: 'revoked', threatLevel: 4, disputeReason: 'chargeback', violations: 1, events: [dispute] },
    {
      status: 'revoked',
      threatLevel: 4,
      disputeReason: 'chargeback',
      violations: 3,
      events: [refund, dispute, refund],
    },
  ];
  const histories = Array.from({ length: 24 }, (_, at) => {
    const { events, ...ending } = endings[at % endings.length] as (typeof endings)[number];
    const renewals = Math.floor(at / endings.length) % 3;
    const customer = newCustomer();
    const purchases = Array.from({ length: 3 }, () => () => buy(customer, { durationDays: 30 }));
    const rest = [...events, ...Array.from({ length: renewals }, () => renew)].map((send) => () => send(customer));
    return {
      customer,
      deliveries: [...purchases, ...rest],
      expected: { licenses: 1, days: 30 * (1 + renewals), ...ending },
    };
  });
  const deliveries = histories.flatMap((history) => history.deliveries);
  const attempts = await deliverShuffled(deliveries);
  say(`  ${deliveries.length} events for ${histories.length} customers took ${attempts} deliveries`);
  const outcomes = await Promise.all(histories.map(({ customer }) => outcomeFor(customer)));
  for (const [at, { expected }] of histories.entries())
    check(
      `customer ${at + 1}: ${expected.days} days, ${expected.disputeReason ?? 'undisturbed'}`,
      outcomes[at],
      expected,
    );
}

const scenes = [
  ['One purchase, delivered 20 times at once', purchaseDeliveredOften],
  ['A subscription of one year', yearOfSubscription],
  ['A subscription whose periods have purchaseIds of their own', periodsWithPurchasesOfTheirOwn],
  ['A refund', refunds],
  ['A chargeback', disputes],
  ['Events that arrive before their purchase', eventsBeforeTheirPurchase],
  ['A trial code with 5 uses, 10 who redeem and 10 who buy', contestedTrialCode],
  ['Everything at once, in any order, purchases three times', stormyPost],
] as const;

try {
  for (const [title, play] of scenes) {
    say(`\n${title}`);
    await play();
  }
  say(`\n${checks} checks at ${service.url}: ${errors === 0 ? 'all as the rules say' : `${errors} WRONG`}`);
} finally {
  await stage.close();
}
process.exitCode = errors === 0 ? 0 : 1;
