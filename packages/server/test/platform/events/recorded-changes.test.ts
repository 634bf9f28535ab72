/**
 * Every change that the service offers is made, and the rows of all tables are compared before and after: each
 * difference must be recorded with its caller and request id.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endpoints } from '../../../src/app.ts';
import { EVENT_TYPES } from '../../../src/commerce/storefront/event.ts';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import { kindOfFact } from '../../../src/platform/events/event-facts.ts';
import type { EventType } from '../../../src/platform/events/event-types.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { ORDER } from '../../commerce/studio-orders/orders.ts';
import { activatedBy } from '../../licensing/users/using.ts';
import { ADMIN_SECRET, type Answer, startApp, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { environmentOf } from '../../support/command.ts';
import { PAGE_HEADERS, signIn as signedIn } from '../../support/console.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { type Engine, engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { expiryJobs, tidy } from '../../support/tidy.ts';
import { assertRecorded, eventsOf, newEvents, type Snapshot, type StoredEvent, StoredRows } from './stored-changes.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));
const run = promisify(execFile);

type Fields = Readonly<Record<string, unknown>>;

/** The caller, as events name it. */
interface Asking {
  readonly actor: string;
  readonly actorName: string | null;
}
const OPERATOR: Asking = { actor: 'operator', actorName: null };
const STOREFRONT: Asking = { actor: 'storefront', actorName: null };
const CLIENT: Asking = { actor: 'client', actorName: null };

/** Destinations can be made, and nothing is sent to them. Customers have pages. */
const SENDS_NOTHING = {
  LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests',
  LATCHKEY_DELIVERIES: 'off',
  LATCHKEY_SELF_SERVICE: 'on',
  LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
};

/** A service under watch: after each call its changes are compared with its recorded events. */
class Watched {
  readonly app: TestApp;
  readonly creator: Creator;
  readonly database: TestDatabase;
  readonly #rows: StoredRows;
  /** Endpoints, and types of storefront events, that changed something here. */
  readonly driven = new Set<string>();
  /** Values that no event may contain. */
  readonly secrets = new Set<string>([ADMIN_SECRET, WEBHOOK_SECRET]);

  private constructor(app: TestApp, creator: Creator, rows: StoredRows, database: TestDatabase) {
    this.app = app;
    this.creator = creator;
    this.#rows = rows;
    this.database = database;
    this.secrets.add(creator.apiKey);
  }

  static async start(engine: Engine): Promise<Watched> {
    const database = await freshDatabase(engine);
    const app = await startApp(engine, SENDS_NOTHING, database);
    return new Watched(app, await Creator.of(app), await StoredRows.of(database.database), database);
  }

  async stop(): Promise<void> {
    await this.#rows.close();
    await this.app.stop();
    await this.database.remove();
  }

  /** Runs `work`, and fails unless its changes are recorded; returns the new events. */
  async watch(work: () => Promise<unknown>): Promise<StoredEvent[]> {
    const was = await this.snapshot();
    await work();
    const is = await this.snapshot();
    assertRecorded(was, is);
    const events = newEvents(was, is);
    for (const { type, before, after } of events)
      for (const fact of Object.keys({ ...before, ...after }))
        assert.ok(
          kindOfFact(type as EventType, fact) !== undefined,
          `say in platform/events/event-facts.ts whether ${fact} is personal`,
        );
    return events;
  }

  snapshot(): Promise<Snapshot> {
    return this.#rows.snapshot();
  }

  /**
   * Sends a call, and fails unless exactly events of these types are recorded, with the caller and the request id of
   * the reply; returns the body.
   */
  async call(asking: Asking, types: readonly string[], path: string, send: () => Promise<Answer>) {
    let answer: Answer | undefined;
    const events = await this.watch(async () => {
      answer = await send();
    });
    const { status, headers, body } = answer as Answer;
    assert.deepEqual(
      events.map(({ type }) => type).sort(),
      [...types].sort(),
      `${path}: ${status} ${JSON.stringify(body)}`,
    );
    for (const { actor, actorName, requestId } of events)
      assert.deepEqual({ actor, actorName, requestId }, { ...asking, requestId: headers['x-request-id'] }, path);
    if (types.length > 0) this.driven.add(path);
    for (const name of ['token', 'newToken', 'apiKey', 'operatorKey'])
      if (body[name] !== undefined) this.secrets.add(body[name]);
    for (const { code } of body.seats ?? []) this.secrets.add(code);
    return body;
  }

  operator(types: readonly string[], path: string, fields: Fields, headers = {}) {
    return this.call(OPERATOR, types, path, () => this.app.admin(path, fields, { headers }));
  }

  owner(types: readonly string[], path: string, fields: Fields) {
    const asking = { actor: `creator:${this.creator.creatorId}`, actorName: 'Key of the tests' };
    return this.call(asking, types, path, () => this.creator.send(path, fields));
  }

  async storefront(types: readonly string[], path: string, fields: Fields) {
    const body = await this.call(STOREFRONT, types, path, () => this.app.webhook(path, fields));
    if (path === '/storefrontWebhook') this.driven.add(String(fields.type));
    return body;
  }

  client(types: readonly string[], path: string, send: () => Promise<Answer>) {
    return this.call(CLIENT, types, path, send);
  }
}

/** Whether calls of an endpoint can change anything. */
const writing = endpoints.filter(({ work }) => (work.kind === 'batch' ? work.batch.mode : work.kind) === 'write');
/** Calls that only show that a machine is alive. */
const SIGNS_OF_LIFE = ['/validate', '/heartbeat'];
/**
 * Not recorded. The files that apps fetch are renewed as often as tokens; /listLicenseFiles lists them, and /listMails
 * the e-mails.
 */
const EXEMPT = [
  ...SIGNS_OF_LIFE,
  '/issueLicenseFile',
  '/mailLicense',
  '/sendReply',
  '/sendTestMail',
  '/testDestination',
  '/testOperatorMail',
  '/resendEvents',
  '/replayEvents',
  '/replayShopEvents',
  // They act on events of shops, and record changes of licenses as the shop's (commerce/connectors).
  '/previewShopEvent',
  '/decideShopEvent',
];

for (const engine of engines)
  describe(`what changes is recorded on ${engine}`, () => {
    let watched: Watched;
    before(async () => {
      watched = await Watched.start(engine);
    });
    after(() => watched.stop());
    const fresh = (order: Fields = {}) => watched.app.license(order);

    it('of licenses that an operator or creator makes and changes', async () => {
      const productId = await watched.creator.product();
      const order = { email: 'ada@example.com', productId, purchaseId: 'order 1', unlockedProducts: [productId] };
      const { licenseKey } = await watched.owner(['license.created'], '/createLicense', order);
      const changes = { maxMachines: 7, variant: 'studio', expiresAt: '2031-01-01T00:00:00.000Z' };
      await watched.owner(['license.updated'], '/updateLicense', { licenseKey, ...changes });
      await watched.owner([], '/updateLicense', { licenseKey, ...changes });
      const floating = { licenseType: 'floating', maxConcurrent: 3 };
      await watched.operator(['license.updated'], '/updateLicense', { licenseKey, ...floating });
      await new Machine(watched.app, licenseKey).activate();
      await watched.operator(['license.updated'], '/updateLicense', { licenseKey, licenseType: 'site' });
      await watched.operator(['license.updated'], '/updateLicense', { licenseKey, status: 'revoked' });
      await watched.operator(['license.updated'], '/updateLicense', { licenseKey, status: 'active' });
      await watched.operator(['license.updated'], '/updateLicense', { licenseKey, expiresAt: null });
      await watched.operator([], '/updateLicense', { licenseKey: 'nobody has it', maxMachines: 9 });
    });

    it('of revocations, however one follows another', async () => {
      const licenseKey = await fresh();
      const both = ['license.revoked', 'violation.opened'];
      await watched.operator(both, '/revokeLicense', { licenseKey, reason: 'refund' });
      // It is already revoked; from now on for another reason.
      await watched.operator(['license.revoked'], '/revokeLicense', { licenseKey });
      await watched.operator(both, '/revokeLicense', { licenseKey, reason: 'chargeback' });
      await watched.operator(['violation.opened'], '/revokeLicense', { licenseKey, reason: 'chargeback' });
      await watched.operator([], '/revokeLicense', { licenseKey });
      const lifted = ['license.reinstated', ...Array.from({ length: 3 }, () => 'violation.resolved')];
      await watched.operator(lifted, '/reinstateLicense', { licenseKey });
      await watched.operator(both, '/revokeLicense', { licenseKey, reason: 'fraud' });
      const { violations } = (await watched.app.admin('/getLicense', { licenseKey })).body;
      const open = violations.filter(({ resolvedAt }: { resolvedAt: string | null }) => resolvedAt === null);
      const violationIds = open.map(({ id }: { id: string }) => id);
      const resolved = ['license.reinstated', 'violation.resolved'];
      await watched.operator(resolved, '/resolveLicense', { licenseKey, violationIds });
      await watched.operator([], '/resolveLicense', { licenseKey, violationIds });
    });

    it('of keys that are replaced, with the notes that go along', async () => {
      const licenseKey = await fresh();
      await new Machine(watched.app, licenseKey).activated();
      await watched.operator(['license.noted'], '/addNote', { licenseKey, text: 'Keep me.' });
      const types = ['license.replaced', 'license.replaced', 'license.noted'];
      await watched.operator(types, '/replaceLicense', { licenseKey, reason: 'It stood in a forum.' });
      await watched.operator([], '/replaceLicense', { licenseKey });
    });

    it('of machines that are bound and unbound, and of no repeated activation or sign of life', async () => {
      const { app } = watched;
      const licenseKey = await fresh({ licenseType: 'floating', maxConcurrent: 5, productId: 'app' });
      const machine = new Machine(app, licenseKey, 'desk');
      await watched.client(['activation.created'], '/activate', () => machine.activate());
      await watched.client([], '/activate', () => machine.activate());
      for (const path of SIGNS_OF_LIFE) {
        app.clock.move(60_000);
        await watched.client([], path, () => (path === '/validate' ? machine.validate() : machine.heartbeat()));
      }
      const renamed = { licenseKey, machineFingerprint: 'desk', hostname: 'another name', productId: 'app' };
      await watched.client([], '/activate', () => app.send('/activate', renamed));
      app.clock.move(HOUR_MS);
      // The session has lapsed; releasing it and beginning another one are no changes of the license.
      await watched.client([], '/heartbeat', () => machine.heartbeat());
      await watched.client(['activation.deleted'], '/deactivate', () => machine.deactivate());
      await watched.client(['activation.created'], '/activate', () => machine.activate());
      await watched.client(['activation.created'], '/activate', () => new Machine(app, licenseKey, 'lap').activate());
      await watched.operator(['activations.reset'], '/resetActivations', { licenseKey });
      await watched.operator([], '/resetActivations', { licenseKey });
    });

    it('of remedies that support applies', async () => {
      const { app } = watched;
      const licenseKey = await fresh({ licenseType: 'floating', maxConcurrent: 2, email: 'cy@example.com' });
      await new Machine(app, licenseKey, 'desk').activated();
      const machine = { licenseKey, machineFingerprint: 'desk' };
      await watched.operator(['session.ended'], '/endSession', machine);
      await watched.operator([], '/endSession', machine);
      await watched.operator(['activation.deleted'], '/releaseActivation', machine);
      await watched.operator([], '/releaseActivation', machine);
      const shared = await fresh({ maxMachines: -1, maxUsers: 2, email: 'eve@example.com' });
      for (const name of ['one', 'two']) await activatedBy(app, shared, 'Ada', name);
      const user = { licenseKey: shared, user: 'Ada' };
      await watched.operator(['user.released'], '/releaseUser', user);
      await watched.operator([], '/releaseUser', user);
      const { note } = await watched.operator(['license.noted'], '/addNote', {
        ...{ licenseKey, text: 'Released the desk.' },
      });
      await watched.operator(['license.note_deleted'], '/deleteNote', { licenseKey, noteId: note.id });
      await watched.operator(['license.email_changed'], '/changeEmail', { licenseKey, newEmail: 'di@example.com' });
      await watched.operator([], '/changeEmail', { licenseKey, newEmail: 'di@example.com' });
      const several = { email: 'di@example.com', newEmail: 'cy@example.com' };
      await watched.operator(['license.email_changed'], '/changeEmail', several);
      const forgotten = ['license.email_changed', 'customer.forgotten'];
      await watched.operator(forgotten, '/forgetCustomer', { email: 'cy@example.com' });
      await watched.operator([], '/forgetCustomer', { email: 'cy@example.com' });
    });

    it('of license files that are made for machines, and of none that apps fetch', async () => {
      const { app } = watched;
      const licenseKey = await fresh();
      const desk = { licenseKey, machineFingerprint: 'desk', hostname: 'desk' };
      const made = ['activation.created', 'license_file.issued'];
      await watched.operator(made, '/createLicenseFile', desk);
      await watched.operator(['license_file.issued'], '/createLicenseFile', desk);
      await watched.operator(['license_file.issued'], '/createLicenseFile', { licenseKey, anyMachine: true });
      const { token } = await new Machine(app, licenseKey, 'lap').activated();
      await watched.client([], '/issueLicenseFile', () =>
        app.send('/issueLicenseFile', { licenseKey, machineFingerprint: 'lap', token }),
      );
    });

    it('of links and brands for customers', async () => {
      const licenseKey = await fresh();
      await watched.operator(['customer_link.created'], '/createCustomerLink', { licenseKey });
      await watched.owner(['brand.updated'], '/updateBrand', { name: 'Tapehead' });
      await watched.owner([], '/updateBrand', { name: 'Tapehead' });
      await watched.operator(['brand.updated'], '/updateBrand', { name: 'Shop', logo: 'iVBORw0KGgo=' });
    });

    it('of reply templates', async () => {
      const template = { name: 'Paid back', text: 'Hello' };
      const types = ['reply_template.saved'];
      await watched.owner(types, '/saveReplyTemplate', template);
      const { templates } = (await watched.app.admin('/listReplyTemplates', { creatorId: watched.creator.creatorId }))
        .body;
      const { templateId } = templates[0];
      await watched.operator(types, '/saveReplyTemplate', { ...template, templateId, text: 'Howdy' });
      await watched.owner([], '/saveReplyTemplate', { ...template, templateId, text: 'Howdy' });
      await watched.owner(['reply_template.deleted'], '/deleteReplyTemplate', { templateId });
    });

    it('of texts of e-mails', async () => {
      const template = { kind: 'keys', language: 'en', subject: 'Key', text: '{keys}' };
      const types = ['mail_template.saved'];
      await watched.owner(types, '/saveMailTemplate', template);
      await watched.owner(types, '/saveMailTemplate', { ...template, subject: 'Your key' });
      await watched.owner([], '/saveMailTemplate', { ...template, subject: 'Your key' });
      await watched.owner(['mail_template.deleted'], '/deleteMailTemplate', { kind: 'keys', language: 'en' });
    });

    it('of misuse that is seen, once and when it becomes more severe, and of no repeat', async () => {
      const { app } = watched;
      const licenseKey = await fresh({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'bound').activated();
      const refused = (types: string[], name: string) =>
        watched.client(types, '/activate', () => new Machine(app, licenseKey, name).activate());
      await refused(['violation.opened'], 'one');
      for (const name of ['two', 'three', 'four', 'one']) await refused([], name);
      await refused(['violation.raised'], 'five');
      await refused([], 'six');
      await watched.operator(['license.activation_limit_lifted'], '/liftActivationLimit', { licenseKey });
    });

    it('of many machines that are decided together, each with its own request', async () => {
      const { app } = watched;
      const licenseKey = await fresh({ maxMachines: 12 });
      const machines = Array.from({ length: 12 }, (_, index) => new Machine(app, licenseKey, `machine ${index}`));
      const answers: Answer[] = [];
      const events = await watched.watch(async () => {
        answers.push(...(await Promise.all(machines.map((machine) => machine.activate()))));
      });
      assert.deepEqual(
        new Map(events.map(({ subject, requestId }) => [subject, requestId])),
        new Map(machines.map(({ fingerprint }, index) => [fingerprint, answers[index]?.headers['x-request-id']])),
      );
      assert.equal(events.length, 12);
    });

    it('of all that the storefront reports', async () => {
      const productId = await watched.creator.product();
      await watched.creator.variant(productId, { name: 'indie', durationDays: 31 });
      await watched.creator.send('/createDiscountCode', { code: 'SPRING', trialDays: 3 });
      const sale = { email: 'bo@example.com', productId, purchaseId: 'order 7' };
      const report = (type: string, types: readonly string[], fields: Fields = {}) =>
        watched.storefront(types, '/storefrontWebhook', { type, ...sale, ...fields });
      const code = { discountCode: 'spring' };
      await report('purchase.completed', ['license.created', 'discount_code.redeemed'], code);
      await report('purchase.completed', [], code);
      await report('subscription.renewed', ['license.renewed']);
      await report('subscription.cancelled', []);
      await report('subscription.payment_failed', []);
      await report('subscription.updated', ['license.updated'], { variant: 'indie', quantity: 3 });
      await report('purchase.refunded', ['license.revoked', 'violation.opened'], { amount: 12.5 });
      await report('purchase.refunded', ['violation.opened']);
      await report('purchase.disputed', ['license.revoked', 'violation.opened']);
      await report('purchase.dispute_won', ['license.noted']);
      await report('customer.updated', ['license.email_changed'], { newEmail: 'bo@example.org' });
      await report('subscription.renewed', [], { purchaseId: 'order 8', email: 'nobody@example.com' });
      assert.deepEqual(
        EVENT_TYPES.filter((type) => !watched.driven.has(type)),
        [],
      );
    });

    it('of products, variants, discount codes and API keys', async () => {
      const slug = 'tapehead';
      await watched.owner(['product.created'], '/createProduct', { name: 'Tapehead', slug });
      await watched.owner([], '/createProduct', { name: 'Tapehead', slug });
      await watched.owner(['product.updated'], '/updateProduct', { productId: slug, name: 'Tapehead 2' });
      await watched.owner([], '/updateProduct', { productId: slug, name: 'Tapehead 2' });
      const variant = { productId: slug, name: 'indie', price: 19.5 };
      const { variantId } = await watched.owner(['variant.created'], '/createVariant', variant);
      await watched.owner(['variant.updated'], '/createVariant', { ...variant, maxMachines: 9 });
      await watched.owner(['variant.updated'], '/updateVariant', { variantId, price: 29.25, active: false });
      await watched.owner([], '/updateVariant', { variantId, price: 29.25 });
      await watched.operator(['product.updated'], '/updateProduct', { productId: slug, creatorId: 'bo' });

      const code = { code: 'Autumn', trialDays: 14, maxUses: 10 };
      await watched.owner(['discount_code.created'], '/createDiscountCode', code);
      await watched.owner(['discount_code.updated'], '/updateDiscountCode', { code: 'autumn', active: false });
      await watched.owner([], '/updateDiscountCode', { code: 'autumn', active: false });
      await watched.owner(['discount_code.updated'], '/updateDiscountCode', { code: 'autumn', active: true });
      const productId = await watched.creator.product();
      const trial = { code: 'AUTUMN', email: 'cy@example.com', productId };
      const redeemed = ['license.created', 'discount_code.redeemed'];
      await watched.client(redeemed, '/redeemTrialCode', () => watched.app.send('/redeemTrialCode', trial));
      await watched.client([], '/redeemTrialCode', () => watched.app.send('/redeemTrialCode', trial));
      await watched.owner(['discount_code.deleted'], '/deleteDiscountCode', { code: 'autumn' });

      const key = { creatorId: 'dee', name: 'shop' };
      const { apiKey } = await watched.operator(['api_key.created'], '/createApiKey', key);
      await watched.operator(['api_key.revoked'], '/revokeApiKey', { apiKeyToRevoke: apiKey });
      await watched.operator([], '/revokeApiKey', { apiKeyToRevoke: apiKey });
      for (const name of ['one', 'two', 'three'])
        await watched.operator(['api_key.created'], '/createApiKey', { ...key, name });
      await watched.operator(['api_key.revoked'], '/revokeApiKey', { creatorId: 'dee' });
      await watched.operator([], '/revokeApiKey', { creatorId: 'dee' });
    });

    it('of those who sign in to the console, in their names, and of operator keys', async () => {
      const { app, creator } = watched;
      const key = { name: 'Bea', role: 'support' };
      const { operatorKey, keyHash } = await watched.operator(['operator_key.created'], '/createOperatorKey', key);
      const signIn = async (asking: Asking, secret: string, more: Fields = {}) => {
        let cookie = '';
        await watched.call(asking, ['console_session.created'], '/createConsoleSession', async () => {
          const session = await signedIn(app, { secret, ...more });
          cookie = session.cookie;
          return session.answer;
        });
        const value = cookie.split('=')[1] ?? '';
        watched.secrets.add(value);
        const headers = { ...PAGE_HEADERS, cookie };
        return (types: readonly string[], path: string, fields: Fields) =>
          watched.call(asking, types, path, () => app.send(path, fields, { headers }));
      };
      const bea = await signIn({ actor: 'operator', actorName: 'Bea' }, operatorKey);
      const ada = await signIn({ actor: 'operator', actorName: 'admin (Ada)' }, ADMIN_SECRET, {
        name: 'Ada',
        keep: true,
      });
      const nameless = await signIn({ actor: 'operator', actorName: 'admin' }, ADMIN_SECRET);
      const ofCreator = { actor: `creator:${creator.creatorId}`, actorName: 'Key of the tests' };
      const dee = await signIn(ofCreator, creator.apiKey);
      const licenseKey = await fresh({ productId: await creator.product() });
      for (const [call, text] of [
        [bea, 'one'],
        [ada, 'two'],
        [nameless, 'three'],
        [dee, 'four'],
      ] as const)
        await call(['license.noted'], '/addNote', { licenseKey, text });
      const { sessionId } = await nameless([], '/getConsoleSession', {});
      await ada(['console_session.ended'], '/endConsoleSession', { sessionId });
      for (const call of [bea, dee]) await call(['console_session.ended'], '/endConsoleSession', {});
      await watched.operator(['operator_key.revoked'], '/revokeOperatorKey', { keyHash });
      await watched.operator([], '/revokeOperatorKey', { keyHash });
    });

    it('of destinations of events', async () => {
      const made = { url: 'https://hooks.example.com/path', types: ['license.*'] };
      const { destinationId, secret } = await watched.owner(['destination.created'], '/createDestination', made);
      const rotated = await watched.owner(['destination.secret_rotated'], '/rotateDestinationSecret', {
        destinationId,
      });
      for (const each of [secret, rotated.secret]) watched.secrets.add(each);
      await watched.operator(['destination.updated'], '/updateDestination', { destinationId, types: ['*'] });
      await watched.operator(['destination.paused'], '/pauseDestination', { destinationId });
      await watched.operator([], '/pauseDestination', { destinationId });
      await watched.operator(['destination.resumed'], '/resumeDestination', { destinationId });
      await watched.operator([], '/resumeDestination', { destinationId, from: 'now' });
      await watched.owner(['destination.deleted'], '/deleteDestination', { destinationId });
    });

    it('of connectors of shops', async () => {
      const made = { source: 'lemonsqueezy', name: 'Shop', mode: 'live', sellerApiKey: 'key-of-the-seller-0123456789' };
      const { connectorId, secret } = await watched.owner(['connector.created'], '/createConnector', made);
      for (const each of [secret, made.sellerApiKey]) watched.secrets.add(each);
      await watched.operator(['connector.updated'], '/updateConnector', { connectorId, state: 'paused' });
      await watched.operator([], '/updateConnector', { connectorId });
      await watched.owner(['connector.deleted'], '/deleteConnector', { connectorId });
    });

    it('of studio orders and their seats', async () => {
      const { seats } = await watched.storefront(['studio_order.created'], '/createStudioOrder', ORDER);
      const [{ code }] = seats;
      const redeemer = { redeemerEmail: 'di@example.com', redeemerUserId: 'di', storefrontPurchaseId: 'record 1' };
      await watched.storefront(['studio_seat.redeemed'], '/redeemSeatCode', { code, ...redeemer });
      await watched.storefront([], '/redeemSeatCode', { code, ...redeemer });
    });

    it('of trials without a key, and of meters', async () => {
      const { app } = watched;
      const productId = await watched.creator.product();
      const trial = { name: 'try', defaultTrialDays: 14, trialWithoutKey: true };
      await watched.creator.variant(productId, { ...trial, meters: { exports: { limit: 5, period: 'none' } } });
      const machine = { machineFingerprint: 'one', hostname: 'box' };
      let session: Fields = {};
      await watched.client(['license.created', 'activation.created'], '/startTrial', async () => {
        const answer = await app.send('/startTrial', { productId, ...machine });
        const { licenseKey, token } = answer.body;
        session = { licenseKey, token, machineFingerprint: 'one' };
        return answer;
      });
      await watched.client([], '/startTrial', () => app.send('/startTrial', { productId, ...machine }));
      const use = (units: number, requestId: string) => () =>
        app.send('/consume', { ...session, meter: 'exports', units, requestId });
      await watched.client([], '/consume', use(4, 'a'));
      await watched.client(['usage.limit_reached'], '/consume', use(1, 'b'));
      await watched.client([], '/consume', use(1, 'b'));
      const adjustment = { licenseKey: session.licenseKey, meter: 'exports', units: -1 };
      await watched.operator(['usage.adjusted'], '/adjustUsage', adjustment);
    });

    it('once, however often a call with an Idempotency-Key is repeated', async () => {
      const order = { email: 'ada@example.com', productId: 'app' };
      const retry = { 'idempotency-key': 'the-same-call' };
      await watched.operator(['license.created'], '/createLicense', order, retry);
      await watched.operator([], '/createLicense', order, retry);
    });

    it('from every endpoint that writes', () => {
      const missing = writing.filter(({ path }) => !watched.driven.has(path) && !EXEMPT.includes(path));
      assert.deepEqual(
        missing.map(({ path }) => path),
        [],
      );
    });

    it('by the service and its commands name these as authors', async () => {
      const { app, database } = watched;
      const licenseKey = await fresh({ licenseType: 'site', maxMachines: -1 });
      const bindAll = async (first: number) => {
        for (let index = first; index < first + 8; index += 1)
          await new Machine(app, licenseKey, `machine ${index}`).activated();
      };
      await bindAll(0);
      await app.admin('/liftActivationLimit', { licenseKey });
      await bindAll(8);
      const command = 'lift-activation-limits';
      const env = { PATH: process.env.PATH, ...environmentOf(database.database) };
      const lifted = await watched.watch(() => run(process.execPath, [CLI, command], { env }));
      assert.deepEqual(
        lifted.map(({ type, actor, requestId, licenseKey: key }) => ({ type, actor, requestId, key })),
        [{ type: 'license.activation_limit_lifted', actor: `command:${command}`, requestId: null, key: licenseKey }],
      );

      const ending = await fresh({ expiresAt: app.clock.at(HOUR_MS) });
      await mustSucceed(app.admin('/createDestination', { url: 'https://hooks.example.com/', types: ['license.*'] }));
      const storage = await openStorage(database.database);
      try {
        const later = () => app.clock.now() + 2 * DAY_MS;
        const tidied = await watched.watch(async () => assert.ok((await tidy(storage, believingEvery(later))) > 0));
        assert.deepEqual(tidied, []);
        const jobs = expiryJobs(storage, [DAY_MS]);
        const notices = await watched.watch(async () => {
          for (const time of [app.clock.now, later]) await tidy(storage, believingEvery(time), { jobs });
        });
        const ofEnding = notices.filter(({ licenseKey: key }) => key === ending);
        assert.deepEqual(
          ofEnding.map(({ type, actor }) => ({ type, actor })),
          [{ type: 'license.expired', actor: 'service:record expiry notices' }],
        );
      } finally {
        await storage.close();
      }
    });

    it('without anything that opens a door', async () => {
      const snapshot = await watched.snapshot();
      const facts = [...snapshot.event.values()].map(({ license_key: _, ...row }) => JSON.stringify(row)).join('\n');
      assert.ok(watched.secrets.size > 10);
      for (const secret of watched.secrets) assert.ok(!facts.includes(secret), 'an event holds a secret');
      // A license key names the license of an event, and appears nowhere else in it.
      for (const { license_key: key } of snapshot.license.values()) {
        assert.ok(!facts.includes(key as string));
        assert.ok(eventsOf(snapshot, key as string).length > 0);
      }
    });
  });
