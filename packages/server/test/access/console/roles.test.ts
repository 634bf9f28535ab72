/** Roles and endpoints: one table of every endpoint, checked against the running service. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endpoints, endpointsByPath } from '../../../src/app.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { ROLES, type Role } from '../../../src/platform/endpoint/role.ts';
import { ADMIN_SECRET, type Answer, startApp, type TestApp } from '../../support/app.ts';
import { operatorKey, type SignedIn, signIn } from '../../support/console.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';

/**
 * For each endpoint, the lowest role that an operator's session needs, and whether a creator's session may call it;
 * null where sessions give no access.
 */
const TABLE: Readonly<Record<string, readonly [role: Role, creators: 'creators' | 'no creators'] | null>> = {
  '/activate': null,
  '/validate': null,
  '/verify': null,
  '/deactivate': null,
  '/heartbeat': null,
  '/createLicense': ['owner', 'creators'],
  '/getLicense': ['viewer', 'creators'],
  '/listLicenses': ['viewer', 'creators'],
  '/updateLicense': ['support', 'creators'],
  '/revokeLicense': ['support', 'creators'],
  '/reinstateLicense': ['support', 'creators'],
  '/resolveLicense': ['support', 'creators'],
  '/resetActivations': ['support', 'creators'],
  '/liftActivationLimit': ['support', 'creators'],
  '/releaseActivation': ['support', 'creators'],
  '/endSession': ['support', 'creators'],
  '/listUsers': ['viewer', 'creators'],
  '/releaseUser': ['support', 'creators'],
  '/addNote': ['support', 'creators'],
  '/deleteNote': ['owner', 'creators'],
  '/adjustUsage': ['support', 'creators'],
  '/consume': null,
  '/changeEmail': ['owner', 'no creators'],
  '/listLiveSessions': ['viewer', 'creators'],
  '/listViolations': ['viewer', 'creators'],
  '/findLicenses': ['viewer', 'creators'],
  '/searchEverything': ['viewer', 'creators'],
  '/explainLicense': ['viewer', 'creators'],
  '/listEvents': ['viewer', 'creators'],
  '/listRefusals': ['viewer', 'creators'],
  '/listReplyTemplates': ['support', 'creators'],
  '/listCreators': ['viewer', 'creators'],
  '/saveReplyTemplate': ['owner', 'creators'],
  '/deleteReplyTemplate': ['owner', 'creators'],
  '/createApiKey': ['owner', 'no creators'],
  '/listApiKeys': ['owner', 'no creators'],
  '/revokeApiKey': ['owner', 'no creators'],
  '/createProduct': ['owner', 'creators'],
  '/listProducts': ['viewer', 'creators'],
  '/updateProduct': ['owner', 'creators'],
  '/createVariant': ['owner', 'creators'],
  '/updateVariant': ['owner', 'creators'],
  '/listVariants': ['viewer', 'creators'],
  '/mailLicense': ['support', 'creators'],
  '/sendReply': ['support', 'creators'],
  '/replaceLicense': ['support', 'creators'],
  '/listMails': ['viewer', 'creators'],
  '/saveMailTemplate': ['owner', 'creators'],
  '/listMailTemplates': ['viewer', 'creators'],
  '/deleteMailTemplate': ['owner', 'creators'],
  '/previewMail': ['support', 'creators'],
  '/sendTestMail': ['support', 'creators'],
  '/createDestination': ['owner', 'creators'],
  '/listDestinations': ['viewer', 'creators'],
  '/listDeliveries': ['viewer', 'creators'],
  '/listDeliveryAttempts': ['viewer', 'creators'],
  '/testDestination': ['support', 'creators'],
  '/testOperatorMail': ['owner', 'no creators'],
  '/resendEvents': ['support', 'creators'],
  '/replayEvents': ['support', 'creators'],
  '/previewEvent': ['viewer', 'creators'],
  '/getDestination': ['viewer', 'creators'],
  '/updateDestination': ['owner', 'creators'],
  '/pauseDestination': ['owner', 'creators'],
  '/resumeDestination': ['owner', 'creators'],
  '/rotateDestinationSecret': ['owner', 'creators'],
  '/deleteDestination': ['owner', 'creators'],
  '/createCustomerLink': ['support', 'creators'],
  '/getBrand': ['viewer', 'creators'],
  '/updateBrand': ['owner', 'creators'],
  '/createDiscountCode': ['owner', 'creators'],
  '/listDiscountCodes': ['viewer', 'creators'],
  '/updateDiscountCode': ['owner', 'creators'],
  '/deleteDiscountCode': ['owner', 'creators'],
  '/redeemTrialCode': null,
  '/startTrial': null,
  '/listRedemptions': ['viewer', 'creators'],
  '/storefrontWebhook': null,
  '/createConnector': ['owner', 'creators'],
  '/listConnectors': ['viewer', 'creators'],
  '/listShopEvents': ['viewer', 'creators'],
  '/getShopEvent': ['owner', 'creators'],
  '/previewShopEvent': ['support', 'creators'],
  '/decideShopEvent': ['support', 'creators'],
  '/updateConnector': ['owner', 'creators'],
  '/replayShopEvents': ['support', 'creators'],
  '/deleteConnector': ['owner', 'creators'],
  '/createStudioOrder': null,
  '/validateSeatCode': null,
  '/redeemSeatCode': null,
  '/getStudioOrder': ['viewer', 'creators'],
  '/listStudioOrders': null,
  '/searchStudioOrders': ['viewer', 'creators'],
  '/forgetCustomer': ['owner', 'no creators'],
  '/getCustomer': ['viewer', 'creators'],
  '/listCustomers': ['viewer', 'creators'],
  '/getOverview': ['viewer', 'creators'],
  '/getStatistics': ['viewer', 'creators'],
  '/getCountries': ['viewer', 'creators'],
  '/getSales': ['viewer', 'creators'],
  '/issueLicenseFile': null,
  '/createLicenseFile': ['owner', 'creators'],
  '/listLicenseFiles': ['viewer', 'creators'],
  '/createConsoleSession': null,
  '/getConsoleSession': ['viewer', 'creators'],
  '/endConsoleSession': ['viewer', 'creators'],
  '/listConsoleSessions': ['owner', 'no creators'],
  '/createOperatorKey': ['owner', 'no creators'],
  '/listOperatorKeys': ['owner', 'no creators'],
  '/revokeOperatorKey': ['owner', 'no creators'],
  '/getSystem': ['owner', 'no creators'],
};

/** The endpoints that some session may call. */
const CALLABLE = Object.keys(TABLE).filter((path) => TABLE[path] !== null);

const NOT_ALLOWED = { success: false, error: 'Your role does not allow this. Ask an owner.' };
const UNAUTHORIZED = { success: false, error: 'Unauthorized' };

/** Fields with which a call changes nothing, for any caller. */
const HARMLESS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/endConsoleSession': { sessionId: 'none' },
  '/revokeApiKey': { apiKeyToRevoke: 'none' },
  '/testOperatorMail': { to: 'none' },
};

describe('the table of roles and endpoints', () => {
  it('lists every endpoint and no other', () => {
    assert.deepEqual(Object.keys(TABLE).sort(), endpoints.map(({ path }) => path).sort());
  });
});

for (const engine of engines)
  describe(`roles of console sessions on ${engine}`, () => {
    let app: TestApp;
    const sessions = new Map<Role | 'creator', SignedIn>();
    before(async () => {
      app = await startApp(engine);
      for (const role of ROLES) sessions.set(role, await signIn(app, { secret: await operatorKey(app, role) }));
      sessions.set('creator', await signIn(app, { secret: (await Creator.of(app)).apiKey }));
    });
    after(() => app.stop());

    const mayCall = (who: Role | 'creator', path: string): boolean => {
      const entry = TABLE[path];
      if (entry === null || entry === undefined) return false;
      const [least, creators] = entry;
      return who === 'creator' ? creators === 'creators' : ROLES.indexOf(who) <= ROLES.indexOf(least);
    };
    const call = (who: Role | 'creator', path: string, body = HARMLESS[path] ?? {}): Promise<Answer> =>
      (sessions.get(who) as SignedIn).call(path, body);

    for (const who of [...ROLES, 'creator'] as const) {
      for (const path of CALLABLE)
        it(`${mayCall(who, path) ? 'let' : 'keep'} ${who} ${mayCall(who, path) ? 'call' : 'from'} ${path}`, async () => {
          const { status, body } = await call(who, path);
          if (mayCall(who, path)) assert.ok([200, 400, 404].includes(status), `${status} ${JSON.stringify(body)}`);
          else if (who === 'creator') assert.deepEqual([status, body], [401, UNAUTHORIZED]);
          else assert.deepEqual([status, body], [403, NOT_ALLOWED]);
        });

      it(`list for ${who} in can the allowed calls only`, async () => {
        const { body } = await call(who, '/getConsoleSession');
        // Signing out and reading one's own session need no entry; the latter returns the list.
        const listed = Object.keys(TABLE).filter((path) => mayCall(who, path) && path !== '/getConsoleSession');
        assert.deepEqual([...body.can].sort(), listed.sort());
      });
    }

    it('come after the credential and before the fields', async () => {
      const answer = await call('viewer', '/createLicense', { email: 7 });
      assert.deepEqual([answer.status, answer.headers['latchkey-code']], [403, 'role_not_allowed']);
    });

    it('are no matter to the admin secret itself and to API keys', async () => {
      for (const path of ['/createApiKey', '/createOperatorKey', '/forgetCustomer'])
        assert.equal((await app.admin(path)).status, 400, path);
      const creator = await Creator.of(app);
      assert.equal((await creator.send('/createDiscountCode')).status, 400);
    });

    it('reach every endpoint by POST, on which alone sessions count', () => {
      for (const path of CALLABLE) assert.ok(endpointsByPath.get(path)?.methods.includes('POST'), path);
    });

    describe('support', () => {
      const inDays = (days: number) => app.clock.at(days * DAY_MS);
      const update = (fields: Readonly<Record<string, unknown>>, who: Role = 'support') =>
        call(who, '/updateLicense', fields);

      it('extends a license by 30 days at most, from its end, or from today if it has expired', async () => {
        for (const days of [10, -10]) {
          const licenseKey = await app.license({ expiresAt: inDays(days) });
          const latest = Math.max(days, 0) + 30;
          const tooFar = await update({ licenseKey, expiresAt: app.clock.at(latest * DAY_MS + 1) });
          assert.deepEqual([tooFar.status, tooFar.body], [403, NOT_ALLOWED]);
          const { status, body } = await update({ licenseKey, expiresAt: inDays(latest) });
          assert.deepEqual([status, body.license?.expiresAt], [200, inDays(latest)]);
        }
      });

      for (const [what, fields] of [
        ['shortens', { expiresAt: () => inDays(9) }],
        ['leaves as it is', { expiresAt: () => inDays(10) }],
        ['makes perpetual', { expiresAt: () => null }],
        ['changes nothing of', {}],
        ['gives more machines to', { expiresAt: () => inDays(20), maxMachines: () => 99 }],
        ['revokes by another way', { status: () => 'revoked' }],
      ] as const satisfies readonly (readonly [string, Readonly<Record<string, () => unknown>>])[])
        it(`never ${what} a license with that`, async () => {
          const licenseKey = await app.license({ expiresAt: inDays(10) });
          const given = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value()]));
          const { status, body } = await update({ licenseKey, ...given });
          assert.deepEqual([status, body], [403, NOT_ALLOWED]);
          const { license } = (await app.admin('/getLicense', { licenseKey })).body;
          assert.deepEqual([license.expiresAt, license.maxMachines, license.status], [inDays(10), 2, 'active']);
        });

      it('reads its limits in its session, and others have none', async () => {
        const limitsOf = async (who: Role | 'creator') => (await call(who, '/getConsoleSession')).body.limits;
        assert.deepEqual(await limitsOf('support'), [
          { endpoint: '/updateLicense', fields: ['licenseKey', 'expiresAt', 'wasExpiresAt'], extensionDays: 30 },
        ]);
        for (const who of ['owner', 'viewer', 'creator'] as const) assert.deepEqual(await limitsOf(who), []);
      });

      it('keeps a perpetual license perpetual', async () => {
        const licenseKey = await app.license();
        assert.equal((await update({ licenseKey, expiresAt: inDays(10) })).status, 403);
      });

      it('is refused nothing that an owner may do once an owner does it', async () => {
        const licenseKey = await app.license({ expiresAt: inDays(10) });
        assert.equal((await update({ licenseKey, maxMachines: 99, expiresAt: null }, 'owner')).status, 200);
        const { call: byAda } = await signIn(app, { secret: ADMIN_SECRET, name: 'Ada' });
        assert.equal((await byAda('/updateLicense', { licenseKey, maxMachines: 98 })).status, 200);
      });
    });
  });
