/**
 * An API key learns nothing about the resources of other creators (rules 5.2): a foreign resource gets the same reply
 * as an absent one, with the same status, the same body and the same statements, so that not even the time
 * distinguishes them.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { endpoints, endpointsByPath, identify } from '../../../src/app.ts';
import { findConnector } from '../../../src/commerce/connectors/connector-store.ts';
import { findShopEvent, listEventIdsIn, saveShopEvent } from '../../../src/commerce/connectors/event-store.ts';
import { storeEvents } from '../../../src/commerce/connectors/received.ts';
import { saveUnit } from '../../../src/commerce/connectors/subject-store.ts';
import { countSales } from '../../../src/commerce/sales/count-sales.ts';
import { keysMail } from '../../../src/customers/mail/keys-mail.ts';
import { queueMail } from '../../../src/customers/mail/outbox.ts';
import { settleMail } from '../../../src/customers/mail/store.ts';
import { toTimestamp } from '../../../src/ground/base/clock.ts';
import { mintId, mintUuid } from '../../../src/ground/base/random.ts';
import { addRefusals } from '../../../src/licensing/observed-calls/store.ts';
import { hashApiKey } from '../../../src/platform/endpoint/caller.ts';
import { fieldReader } from '../../../src/platform/endpoint/fields.ts';
import type { Outcome } from '../../../src/platform/endpoint/outcome.ts';
import { createLocalDispatcher } from '../../../src/runtime/dispatch/local-dispatcher.ts';
import type { Sql, Storage, Tx } from '../../../src/storage/contract/storage.ts';
import { saveAttempts } from '../../../src/webhooks/deliveries/attempt-store.ts';
import { fill } from '../../insight/statistics/fill.ts';
import { predictRefusal } from '../../licensing/observed-calls/refusal-rows.ts';
import { inspect } from '../../support/answers.ts';
import type { Answer } from '../../support/app.ts';
import { signIn } from '../../support/console.ts';
import { requestContextAt, ruleContextOf } from '../../support/contexts.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedWithStorage } from '../../support/started-app.ts';

/** One thing of each kind, by the names that requests use. */
interface Belongings {
  readonly creatorId: string;
  readonly productId: string;
  readonly variantId: string;
  readonly licenseKey: string;
  readonly violationId: string;
  readonly fingerprint: string;
  readonly code: string;
  readonly studioOrderId: string;
  readonly seatCode: string;
  /** A floating license with a live session. */
  readonly floatingKey: string;
  readonly sessionId: string;
  readonly destinationId: string;
  readonly templateId: string;
  readonly connectorId: string;
  readonly shopEventId: string;
  /** A failed e-mail about the license. */
  readonly mailId: string;
  /** An event of the license that fits the destination. */
  readonly eventId: string;
  /** A note on the license. */
  readonly noteId: string;
}

const ABSENT: Belongings = {
  creatorId: 'creator of nothing',
  productId: 'product-absent',
  variantId: 'product-absent-indie',
  licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE',
  violationId: 'violation-absent',
  fingerprint: 'machine-absent',
  code: 'CODE-absent',
  studioOrderId: 'so_00000000-0000-4000-8000-000000000000',
  seatCode: 'STUDIO-AAAA-BBBB',
  floatingKey: 'BBBBB-BBBBB-CCCCC-DDDDD-EEEEE',
  sessionId: 'a'.repeat(64),
  destinationId: 'dst_00000000-0000-7000-8000-000000000000',
  connectorId: 'con_0000000000000000000000',
  shopEventId: 'sev_00000000-0000-7000-8000-000000000000',
  mailId: 'mail_00000000-0000-7000-8000-000000000000',
  templateId: 'rt_00000000-0000-7000-8000-000000000000',
  eventId: 'evt_00000000-0000-7000-8000-000000000000',
  noteId: 'evt_00000000-0000-7000-8000-000000000001',
};

/** A way in which a request can name a foreign resource. */
interface Reach {
  /** Completes the test's name: 'answers a foreign ...'. */
  readonly what: string;
  readonly fields: (named: Belongings, own: Belongings) => Readonly<Record<string, unknown>>;
  /**
   * The reply to foreign and absent resources alike: a refusal's text, or a list or figures without them. An `echo`
   * repeats the names of the request.
   */
  readonly answer: 'nothing' | 'echo' | 'no figures' | readonly [status: number, error: string];
}

const LICENSE_NOT_FOUND = [404, 'License not found'] as const;
const PRODUCT_NOT_FOUND = [404, 'Product not found'] as const;
const CODE_NOT_FOUND = [404, 'Discount code not found'] as const;
const OTHER_CREATOR = [403, 'An API key cannot act for another creator'] as const;

const EMAIL = 'ada@example.com';
const DESTINATION = { url: 'https://shop.example.com/events', types: ['license.*'] };
const CONNECTOR = { source: 'stripe', name: 'Shop', mode: 'live' };
const newPrefix = () => mintUuid().slice(0, 18);
const MAIL_NAME = { kind: 'keys', language: 'en' };
const MAIL_TEXT = { ...MAIL_NAME, subject: 'Your key', text: '{keys}' };
const TEMPLATE = { name: 'Paid back', text: 'Hello' };
/** Destinations have secrets, and e-mails a server; none of them is sent anything here. */
const SETTINGS = {
  LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests',
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1',
  LATCHKEY_MAIL_FROM: 'licenses@shop.example',
  LATCHKEY_DELIVERIES: 'off',
  LATCHKEY_SELF_SERVICE: 'on',
  LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
};
const fresh = () => `fresh-${mintId()}`;

/** A license named by its key alone. */
function ofLicense(more: Readonly<Record<string, unknown>> = {}): Reach {
  return {
    what: 'license',
    fields: ({ licenseKey }) => ({ licenseKey, ...more }),
    answer: LICENSE_NOT_FOUND,
  };
}

/** A machine of a license, or of the caller's own license. */
const OF_MACHINE: readonly Reach[] = [
  {
    what: 'license',
    fields: ({ licenseKey, fingerprint: machineFingerprint }) => ({ licenseKey, machineFingerprint }),
    answer: LICENSE_NOT_FOUND,
  },
  {
    what: 'machine',
    fields: ({ fingerprint: machineFingerprint }, { licenseKey }) => ({ licenseKey, machineFingerprint }),
    answer: [404, 'Machine not activated'],
  },
];

/** A product named by its id. */
function ofProduct(more: () => Readonly<Record<string, unknown>> = () => ({})): Reach {
  return {
    what: 'product',
    fields: ({ productId }) => ({ productId, ...more() }),
    answer: PRODUCT_NOT_FOUND,
  };
}

/** A creator, where a key may name only its own. */
function ofCreator(fields: Reach['fields'], answer: Reach['answer'] = OTHER_CREATOR): Reach {
  return { what: 'creator', fields, answer };
}

/** A reply template, named by its id. */
function ofTemplate(more: Readonly<Record<string, unknown>> = {}): Reach {
  return {
    what: 'reply template',
    fields: ({ templateId }) => ({ templateId, ...more }),
    answer: [404, 'Reply template not found'],
  };
}

/** A destination of events, named by its id. */
function ofDestination(more: Readonly<Record<string, unknown>> = {}): Reach {
  return {
    what: 'destination',
    fields: ({ destinationId }) => ({ destinationId, ...more }),
    answer: [404, 'Destination not found'],
  };
}

/** A connector of a shop, named by its id. */
function ofConnector(more: Readonly<Record<string, unknown>> = {}): Reach {
  return {
    what: 'connector',
    fields: ({ connectorId }) => ({ connectorId, ...more }),
    answer: [404, 'Connector not found'],
  };
}

/** An event of a shop, named by its id. */
function ofShopEvent(fields: Reach['fields'] = ({ shopEventId: eventId }) => ({ eventId })): Reach {
  return { what: 'event of a shop', fields, answer: [404, 'Shop event not found'] };
}

/** A destination of events and an event. */
function ofEvent(event: (named: Belongings) => Readonly<Record<string, unknown>>): readonly Reach[] {
  return [
    {
      what: 'destination',
      fields: ({ destinationId }, own) => ({ destinationId, ...event(own) }),
      answer: [404, 'Destination not found'],
    },
    {
      what: 'event',
      fields: (named, { destinationId }) => ({ destinationId, ...event(named) }),
      answer: [404, 'Event not found'],
    },
  ];
}

/** Every endpoint that an API key can call, with all the ways in which it can name a resource. */
const WALK: Readonly<Record<string, readonly Reach[]>> = {
  '/createLicense': [
    ofProduct(() => ({ email: EMAIL })),
    {
      what: 'product to unlock',
      fields: ({ productId }, own) => ({
        email: EMAIL,
        productId: own.productId,
        unlockedProducts: [own.productId, productId],
      }),
      answer: PRODUCT_NOT_FOUND,
    },
  ],
  '/getLicense': [ofLicense(), ofLicense({ history: true })],
  '/explainLicense': [ofLicense()],
  '/listEvents': [
    { ...ofProduct(), answer: 'nothing' },
    { ...ofLicense(), answer: 'nothing' },
  ],
  '/listRefusals': [
    { ...ofProduct(), answer: 'nothing' },
    { ...ofLicense(), answer: 'nothing' },
    {
      what: 'machine',
      fields: ({ fingerprint: machineFingerprint }) => ({ machineFingerprint, code: 'machine_limit' }),
      answer: 'nothing',
    },
  ],
  '/listLicenses': [
    { ...ofProduct(), answer: 'nothing' },
    { ...ofProduct(() => ({ email: EMAIL, status: 'revoked' })), what: 'product and customer', answer: 'nothing' },
  ],
  '/findLicenses': [
    { ...ofProduct(() => ({ names: [EMAIL] })), answer: 'nothing' },
    { what: 'license', fields: ({ licenseKey }) => ({ names: [licenseKey] }), answer: 'echo' },
  ],
  '/listViolations': [
    { ...ofProduct(), answer: 'nothing' },
    { ...ofLicense(), answer: 'nothing' },
    { ...ofProduct(() => ({ open: true, type: 'fraud' })), what: 'product and type', answer: 'nothing' },
  ],
  '/listLiveSessions': [
    { ...ofProduct(), answer: 'nothing' },
    { what: 'license', fields: ({ floatingKey }) => ({ licenseKey: floatingKey }), answer: 'nothing' },
  ],
  '/getCustomer': [
    { ...ofProduct(() => ({ email: EMAIL })), what: 'customer of a product', answer: [404, 'Customer not found'] },
  ],
  '/listCustomers': [{ ...ofProduct(), answer: 'no figures' }],
  '/searchEverything': [
    ...(['licenseKey', 'code', 'productId', 'studioOrderId', 'seatCode'] as const).map(
      (what): Reach => ({ what, fields: (named) => ({ query: named[what] }), answer: 'nothing' }),
    ),
    { what: 'beginning of a key', fields: ({ licenseKey }) => ({ query: licenseKey.slice(0, 11) }), answer: 'nothing' },
  ],
  '/updateLicense': [ofLicense({ maxMachines: 9 })],
  '/revokeLicense': [ofLicense({ reason: 'chargeback' })],
  '/reinstateLicense': [ofLicense()],
  '/resolveLicense': [
    {
      what: 'license',
      fields: ({ licenseKey, violationId }) => ({ licenseKey, violationIds: [violationId] }),
      answer: LICENSE_NOT_FOUND,
    },
    {
      what: 'violation',
      fields: ({ violationId }, own) => ({ licenseKey: own.licenseKey, violationIds: [violationId] }),
      answer: [404, 'Violation not found'],
    },
    {
      what: 'license that is only looked at',
      fields: ({ licenseKey, violationId }) => ({ licenseKey, violationIds: [violationId], dryRun: true }),
      answer: LICENSE_NOT_FOUND,
    },
  ],
  '/resetActivations': [ofLicense()],
  '/liftActivationLimit': [ofLicense()],
  '/releaseActivation': OF_MACHINE,
  '/listUsers': [ofLicense()],
  '/releaseUser': [ofLicense({ user: 'ada@example.com' })],
  '/endSession': OF_MACHINE,
  '/createLicenseFile': [
    {
      what: 'license',
      fields: ({ floatingKey }) => ({ licenseKey: floatingKey, machineFingerprint: 'far', hostname: 'Far away' }),
      answer: LICENSE_NOT_FOUND,
    },
    {
      what: 'license for any machine',
      fields: ({ floatingKey }) => ({ licenseKey: floatingKey, anyMachine: true }),
      answer: LICENSE_NOT_FOUND,
    },
  ],
  '/listLicenseFiles': [ofLicense()],
  '/mailLicense': [ofLicense(), { what: 'e-mail', fields: ({ mailId }) => ({ mailId }), answer: LICENSE_NOT_FOUND }],
  '/sendReply': [ofLicense({ subject: 'Your license', text: 'Hello.' })],
  '/replaceLicense': [
    { what: 'license', fields: ({ floatingKey: licenseKey }) => ({ licenseKey }), answer: LICENSE_NOT_FOUND },
  ],
  '/listMails': [ofLicense()],
  '/addNote': [ofLicense({ text: 'A note.' })],
  '/deleteNote': [
    { what: 'license', fields: ({ licenseKey, noteId }) => ({ licenseKey, noteId }), answer: LICENSE_NOT_FOUND },
    {
      what: 'note',
      fields: ({ noteId }, { licenseKey }) => ({ licenseKey, noteId }),
      answer: [404, 'Note not found'],
    },
  ],
  '/adjustUsage': [ofLicense({ meter: 'exports', units: 1 })],
  '/createProduct': [ofCreator(({ creatorId }) => ({ creatorId, name: 'Fresh', slug: fresh() }))],
  '/listProducts': [ofCreator(({ creatorId }) => ({ creatorId, includeAll: true }), 'nothing')],
  '/updateProduct': [
    ofProduct(() => ({ name: 'Renamed' })),
    ofCreator(({ creatorId }, own) => ({ productId: own.productId, creatorId })),
    {
      what: 'product and creator',
      fields: ({ productId, creatorId }) => ({ productId, creatorId }),
      answer: PRODUCT_NOT_FOUND,
    },
  ],
  '/createVariant': [ofProduct(() => ({ name: 'fresh' }))],
  '/updateVariant': [
    {
      what: 'variant',
      fields: ({ variantId }) => ({ variantId, maxMachines: 9 }),
      answer: [404, 'Variant not found'],
    },
  ],
  '/listVariants': [ofProduct(() => ({ includeInactive: true }))],
  '/createDiscountCode': [
    ofProduct(() => ({ code: fresh(), trialDays: 7 })),
    ofCreator(({ creatorId }) => ({ creatorId, code: fresh(), trialDays: 7 })),
  ],
  '/listDiscountCodes': [
    ofCreator(({ creatorId }) => ({ creatorId }), 'nothing'),
    { ...ofProduct(), answer: 'nothing' },
  ],
  '/listRedemptions': [{ what: 'code', fields: ({ code }) => ({ code }), answer: CODE_NOT_FOUND }],
  '/updateDiscountCode': [{ what: 'code', fields: ({ code }) => ({ code, active: false }), answer: CODE_NOT_FOUND }],
  '/deleteDiscountCode': [{ what: 'code', fields: ({ code }) => ({ code }), answer: CODE_NOT_FOUND }],
  '/getOverview': [{ ...ofProduct(), answer: 'nothing' }],
  '/getStatistics': [{ ...ofProduct(() => ({ metrics: ['license.created'] })), answer: 'no figures' }],
  '/getCountries': [{ ...ofProduct(), answer: 'no figures' }],
  '/getSales': [{ ...ofProduct(), answer: 'no figures' }],
  '/searchStudioOrders': [
    { what: 'seat', fields: ({ seatCode }) => ({ code: seatCode }), answer: 'nothing' },
    ofCreator(({ creatorId }) => ({ creatorId, courseId: 'course' }), 'nothing'),
  ],
  '/endConsoleSession': [
    {
      what: 'console session',
      fields: ({ sessionId }) => ({ sessionId }),
      answer: [404, 'Console session not found'],
    },
  ],
  '/getStudioOrder': [
    {
      what: 'studio order',
      fields: ({ studioOrderId }) => ({ studioOrderId }),
      answer: [404, 'Studio order not found'],
    },
  ],
  '/createCustomerLink': [ofLicense(), ofCreator(({ creatorId }) => ({ creatorId, email: EMAIL }))],
  '/getBrand': [ofCreator(({ creatorId }) => ({ creatorId }))],
  '/updateBrand': [ofCreator(({ creatorId }) => ({ creatorId, name: 'Shop' }))],
  '/listMailTemplates': [ofCreator(({ creatorId }) => ({ creatorId }))],
  '/saveMailTemplate': [ofCreator(({ creatorId }) => ({ creatorId, ...MAIL_TEXT })), ofProduct(() => MAIL_TEXT)],
  '/previewMail': [ofCreator(({ creatorId }) => ({ creatorId, ...MAIL_NAME })), ofProduct(() => MAIL_NAME)],
  '/deleteMailTemplate': [ofCreator(({ creatorId }) => ({ creatorId, ...MAIL_NAME })), ofProduct(() => MAIL_NAME)],
  '/sendTestMail': [
    ofCreator(({ creatorId }) => ({ creatorId, ...MAIL_NAME, to: EMAIL })),
    ofProduct(() => ({ ...MAIL_NAME, to: EMAIL })),
  ],
  '/listReplyTemplates': [ofCreator(({ creatorId }) => ({ creatorId }))],
  '/listCreators': [ofCreator(({ creatorId }) => ({ beginning: creatorId }), 'nothing')],
  '/saveReplyTemplate': [ofCreator(({ creatorId }) => ({ creatorId, ...TEMPLATE })), ofTemplate(TEMPLATE)],
  '/deleteReplyTemplate': [ofTemplate()],
  '/createConnector': [
    ofCreator(({ creatorId }) => ({ creatorId, ...CONNECTOR, prefix: newPrefix() })),
    {
      what: 'product',
      fields: ({ productId }) => ({ ...CONNECTOR, prefix: newPrefix(), mappings: [{ match: 'any', productId }] }),
      answer: PRODUCT_NOT_FOUND,
    },
  ],
  '/listConnectors': [ofCreator(({ creatorId }) => ({ creatorId }))],
  '/listShopEvents': [
    ofConnector(),
    { what: 'license', fields: ({ licenseKey }) => ({ licenseKey }), answer: 'nothing' },
    { what: "seller's id", fields: ({ connectorId }) => ({ reference: connectorId }), answer: 'nothing' },
  ],
  '/getShopEvent': [ofShopEvent()],
  '/previewShopEvent': [ofShopEvent(), ofConnector({ body: '{}' })],
  '/decideShopEvent': [ofShopEvent(({ shopEventId: eventId }) => ({ eventId, remedy: 'dismiss' }))],
  '/updateConnector': [
    ofConnector({ name: 'Renamed' }),
    {
      what: 'product',
      fields: ({ productId }, { connectorId }) => ({ connectorId, mappings: [{ match: 'any', productId }] }),
      answer: PRODUCT_NOT_FOUND,
    },
  ],
  '/replayShopEvents': [
    ofShopEvent(({ shopEventId }) => ({ eventIds: [shopEventId] })),
    ofConnector({ state: 'attention' }),
  ],
  '/deleteConnector': [ofConnector()],
  '/createDestination': [ofCreator(({ creatorId }) => ({ creatorId, ...DESTINATION }))],
  '/listDestinations': [ofCreator(({ creatorId }) => ({ creatorId }), 'nothing')],
  '/getDestination': [ofDestination()],
  '/updateDestination': [ofDestination({ description: 'Renamed' })],
  '/deleteDestination': [ofDestination()],
  '/pauseDestination': [ofDestination()],
  '/resumeDestination': [ofDestination()],
  '/rotateDestinationSecret': [ofDestination()],
  '/testDestination': [ofDestination()],
  '/replayEvents': [ofDestination({ since: '2027-01-01' })],
  '/resendEvents': ofEvent(({ eventId }) => ({ eventIds: [eventId] })),
  '/previewEvent': ofEvent(({ eventId }) => ({ eventId })),
  '/listDeliveries': [ofDestination()],
  '/listDeliveryAttempts': [
    ofDestination(),
    { what: 'event', fields: ({ eventId }) => ({ eventId }), answer: 'nothing' },
  ],
};

describe('The walk of the scoping tests', () => {
  it('names every endpoint that an API key can call, and no other', () => {
    const open = endpoints.filter(
      ({ access }) => access === 'admin' || access === 'webhookOrKey' || access === 'adminOrWebhook',
    );
    assert.deepEqual(Object.keys(WALK).sort(), open.map(({ path }) => path).sort());
  });

  it('names something in every entry', () => {
    for (const [path, reaches] of Object.entries(WALK)) assert.ok(reaches.length > 0, path);
  });
});

for (const engine of engines)
  describe(`Scope of an API key on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine, SETTINGS);
    let theirs: Belongings;
    /** A caller for requests that change nothing of its own, and its belongings. */
    let constant: readonly [Creator, Belongings];
    before(async () => {
      theirs = await belongingsOf(await Creator.of(app), storage);
      constant = await callerWithBelongings();
    });

    async function callerWithBelongings(): Promise<readonly [Creator, Belongings]> {
      const creator = await Creator.of(app);
      return [creator, await belongingsOf(creator, storage)];
    }

    /** State that a stranger's calls must leave unchanged. */
    async function stateOf({ creatorId, productId, licenseKey, studioOrderId, destinationId }: Belongings) {
      return Promise.all([
        inspect(app, licenseKey),
        mustSucceed(app.admin('/listLicenses', { productId })),
        mustSucceed(app.admin('/listProducts', { creatorId, includeAll: true })),
        mustSucceed(app.admin('/listVariants', { productId, includeInactive: true })),
        mustSucceed(app.admin('/listDiscountCodes', { creatorId })),
        mustSucceed(app.webhook('/getStudioOrder', { studioOrderId })),
        mustSucceed(app.admin('/getDestination', { destinationId })),
      ]);
    }

    for (const [path, reaches] of Object.entries(WALK))
      for (const { what, fields, answer } of reaches) {
        it(`${path} answers a foreign ${what} like an absent one`, async () => {
          const isRead = endpointsByPath.get(path)?.work.kind === 'read';
          const [creator, own] = isRead ? constant : await callerWithBelongings();
          const before = await stateOf(theirs);
          const toForeign = await creator.send(path, fields(theirs, own));
          const toAbsent = await creator.send(path, fields(ABSENT, own));
          assert.equal(toForeign.status, toAbsent.status);
          assert.deepEqual(normalised(toForeign.body, theirs), normalised(toAbsent.body, ABSENT));
          if (typeof answer === 'string') {
            assert.equal(toForeign.status, 200);
            const body = JSON.stringify(toForeign.body);
            const sent = answer === 'echo' ? JSON.stringify(fields(theirs, own)) : '';
            for (const name of Object.values(theirs))
              assert.ok(sent.includes(name) || !body.includes(name), `it shows ${name}`);
          } else {
            const [status, error] = answer;
            assert.deepEqual([toForeign.status, toForeign.body], [status, { success: false, error }]);
          }
          assert.deepEqual(await stateOf(theirs), before);
          // The same request about the caller's own resource succeeds, so it was refused only because of the owner.
          const toOwn = await creator.send(path, fields(own, own));
          assert.equal(toOwn.status, 200, JSON.stringify(toOwn.body));
          if (answer === 'nothing') {
            const body = JSON.stringify(toOwn.body);
            assert.ok(
              Object.values(own).some((name) => body.includes(name)),
              `it shows nothing at all: ${body}`,
            );
          } else if (typeof answer === 'string') assert.notDeepEqual(toOwn.body, toAbsent.body);
        });

        it(`${path} works no more and no less for a foreign ${what} than for an absent one`, async () => {
          const [creator, own] = constant;
          const forForeign = await statementsOf(creator, path, fields(theirs, own));
          const forAbsent = await statementsOf(creator, path, fields(ABSENT, own));
          assert.ok(forForeign.includes('api_key.find'));
          assert.deepEqual(forForeign, forAbsent);
        });
      }

    /** The names of the statements that a call runs, in order. */
    async function statementsOf(creator: Creator, path: string, body: Readonly<Record<string, unknown>>) {
      const names: string[] = [];
      const ruleContext = ruleContextOf();
      const dispatcher = createLocalDispatcher(
        watched(storage, names),
        { endpoints: endpointsByPath, identify, ruleContext },
        { batchesAtOnce: 1 },
      );
      const endpoint = endpointsByPath.get(path);
      assert.ok(endpoint);
      const call = {
        path,
        credential: { kind: 'apiKey', hash: hashApiKey(creator.apiKey), beside: 'none' },
        read: fieldReader(endpoint.fields, endpoint.missing)(body, 'body'),
        requestContext: requestContextAt(app.clock.now()),
        idempotency: null,
      } as const;
      const outcome = await new Promise<Outcome>((resolve) => dispatcher.dispatch(call, resolve));
      assert.ok(outcome.status < 500, String(outcome.body));
      return names;
    }
  });

/** Makes one thing of each kind. */
async function belongingsOf(creator: Creator, storage: Storage): Promise<Belongings> {
  const { app, creatorId } = creator;
  const productId = await creator.product();
  const variantId = await creator.variant(productId, { name: 'indie' });
  const floating = { licenseType: 'floating', maxConcurrent: 2 };
  const meters = { exports: { limit: 10, period: 'none' } };
  await mustSucceed(creator.send('/createVariant', { productId, name: 'metered', meters }));
  const licenseKey = await creator.license(productId, { email: EMAIL, variant: 'metered', ...floating });
  const machine = new Machine(app, licenseKey, `machine-${mintId()}`);
  machine.productId = productId;
  const { fingerprint } = await machine.activated();
  const named = { machineFingerprint: fingerprint, hostname: `host of ${fingerprint}`, user: 'ada@example.com' };
  await mustSucceed(app.send('/activate', { licenseKey, productId, ...named }));
  await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'fraud' }));
  const { violations } = await inspect(app, licenseKey);
  const today = `${app.clock.at().slice(0, 10)}T00:00:00.000Z`;
  const sold = { productId, variant: 'indie', metric: 'purchased', at: app.clock.at() } as const;
  await storage.transaction((tx) => countSales(tx, [sold]));
  await fill(storage, [
    [productId, 'day', 'license.created', today, 1],
    [productId, 'day', 'machines.DE', today, 1],
  ]);
  const refused = predictRefusal(licenseKey, app.clock.now(), { fingerprint });
  await storage.transaction((tx) => addRefusals(tx, [refused]));
  const code = `CODE-${mintUuid()}`;
  await mustSucceed(creator.send('/createDiscountCode', { code, productId, trialDays: 7 }));
  const { studioOrderId, seats } = await mustSucceed(
    app.webhook('/createStudioOrder', {
      buyerEmail: EMAIL,
      buyerUserId: 'buyer',
      courseId: 'course',
      courseSlug: 'course-slug',
      courseTitle: 'Course',
      creatorId,
      seatCount: 2,
      pricePerSeat: 1000,
      totalAmount: 2000,
      currency: 'eur',
    }),
  );
  const [violationId, seatCode] = [violations[0].id, seats[0].code];
  const floatingKey = await sessionOf(creator, productId);
  const signed = await signIn(app, { secret: creator.apiKey });
  const { destinationId } = await mustSucceed(creator.send('/createDestination', DESTINATION));
  const { connectorId } = await mustSucceed(creator.send('/createConnector', CONNECTOR));
  const shopEventId = await watchedEvent(storage, { connectorId, creatorId, productId, licenseKey });
  const mailId = await failedMail(storage, { creatorId, licenseKey });
  const { template } = await mustSucceed(creator.send('/saveReplyTemplate', TEMPLATE));
  for (const whose of [{}, { productId }])
    await mustSucceed(creator.send('/saveMailTemplate', { ...MAIL_TEXT, ...whose }));
  const { events } = await mustSucceed(creator.send('/listEvents', { licenseKey, types: ['license.created'] }));
  const eventId = events[0].id;
  const { note } = await mustSucceed(creator.send('/addNote', { licenseKey, text: 'A note.' }));
  const sent = {
    type: 'license.created',
    at: app.clock.now(),
    durationMs: 5,
    outcome: 'delivered',
    status: 204,
  } as const;
  await storage.transaction((tx) => saveAttempts(tx, [{ destinationId, attemptId: mintUuid(), eventId, ...sent }]));
  return {
    creatorId,
    productId,
    variantId,
    licenseKey,
    violationId,
    fingerprint,
    code,
    studioOrderId,
    seatCode,
    floatingKey,
    sessionId: (await signed.call('/getConsoleSession')).body.sessionId,
    destinationId,
    templateId: template.templateId,
    connectorId,
    shopEventId,
    mailId,
    eventId,
    noteId: note.id,
  };
}

/** Stores an event about the id of its connector, as one of the sale of a license; returns its id. */
async function watchedEvent(
  storage: Storage,
  {
    connectorId,
    creatorId,
    productId,
    licenseKey,
  }: Pick<Belongings, 'connectorId' | 'creatorId' | 'productId' | 'licenseKey'>,
): Promise<string> {
  const now = Date.UTC(2027, 0, 1);
  const connector = (await storage.read((sql) => findConnector(sql, connectorId, { creatorId })))!;
  const event = {
    sellerEventId: 'e',
    type: 'customer.created',
    at: now,
    isTest: false,
    subject: connectorId,
    body: '{}',
  };
  await storage.transaction((tx) => storeEvents(tx, connector, [event], { now, dueAt: now }));
  const [stored] = await storage.read((sql) => listEventIdsIn(sql, connectorId, { state: 'watched' }, 1));
  const sale = { connectorId, subjectId: 'order', line: 'line', unit: 1, licenseKey, productId };
  const given = { variant: null, factor: 1, isRecurring: false, setExpiresAt: null, issuedAt: toTimestamp(now) };
  await storage.transaction(async (tx) => {
    await saveUnit(tx, { ...sale, ...given });
    const event = (await findShopEvent(tx, stored!, { creatorId }))!;
    await saveShopEvent(tx, { ...event, subjectId: 'order' }, now);
  });
  return stored!;
}

/** Stores an e-mail about a license that failed; returns its id. */
async function failedMail(
  storage: Storage,
  { creatorId, licenseKey }: Pick<Belongings, 'creatorId' | 'licenseKey'>,
): Promise<string> {
  const now = Date.UTC(2027, 0, 1);
  return storage.transaction(async (tx) => {
    const mail = { kind: keysMail, to: `${mintUuid()}@example.com`, language: 'en', data: {}, now } as const;
    const mailId = await queueMail(tx, { ...mail, creatorId, licenseKey });
    await settleMail(tx, { mailId, attempts: 0 }, 'failed', 'timeout', now);
    return mailId;
  });
}

/** A license with a live floating session; returns its key. */
async function sessionOf(creator: Creator, productId: string): Promise<string> {
  const licenseKey = await creator.license(productId, { licenseType: 'floating' });
  const machine = new Machine(creator.app, licenseKey);
  machine.productId = productId;
  await machine.activated();
  return licenseKey;
}

/** A body in which each named resource is replaced by its kind. */
function normalised(body: Answer['body'], named: Belongings): unknown {
  let text = JSON.stringify(body);
  for (const [kind, name] of Object.entries(named)) text = text.replaceAll(name, `<${kind}>`);
  return JSON.parse(text);
}

/** The same storage, which appends the names of its statements to a list. */
function watched(storage: Storage, names: string[]): Storage {
  const watch = (tx: Tx): Tx => ({
    all: (statement, ...values) => {
      names.push(statement.name);
      return tx.all(statement, ...values);
    },
    first: (statement, ...values) => {
      names.push(statement.name);
      return tx.first(statement, ...values);
    },
    run: (statement, ...values) => {
      names.push(statement.name);
      return tx.run(statement, ...values);
    },
    runLast: (statement, ...values) => {
      names.push(statement.name);
      return tx.runLast(statement, ...values);
    },
    publish: (topic, message) => tx.publish(topic, message),
    afterwards: (effect) => tx.afterwards(effect),
  });
  return {
    engine: storage.engine,
    read: (work: (sql: Sql) => Promise<never>) => storage.read((sql) => work(watch(sql as Tx))),
    transaction: (work: (tx: Tx) => Promise<never>) => storage.transaction((tx) => work(watch(tx))),
    onCommitted: (listener) => storage.onCommitted(listener),
    onAvailability: () => {},
    close: () => storage.close(),
  };
}
