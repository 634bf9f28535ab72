/** Every way to show a credential, and the values that are not accepted as one (rules 5.1). */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ADMIN_SECRET, type Answer, WEBHOOK_SECRET } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

/** A request with a credential. */
interface Shown {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

const UNAUTHORIZED = { success: false, error: 'Unauthorized' };

for (const engine of engines)
  describe(`Credentials on ${engine}`, () => {
    let apiKey: string;
    let creator: Creator;
    const app = startedApp(engine, { LATCHKEY_WRONG_SECRET_RATE: 'off' });
    before(async () => {
      creator = await Creator.of(app);
      apiKey = creator.apiKey;
    });

    function send(path: string, { method = 'POST', headers = {}, query = {}, body }: Shown): Promise<Answer> {
      const search = new URLSearchParams(query).toString();
      const url = search === '' ? path : `${path}?${search}`;
      return app.send(url, method === 'POST' ? (body ?? {}) : body, { method, headers });
    }

    async function letIn(path: string, shown: Shown): Promise<void> {
      const { status, body } = await send(path, shown);
      assert.ok(status === 200 || status === 201, `${status} ${JSON.stringify(body)}`);
    }

    async function turnedAway(path: string, shown: Shown): Promise<void> {
      const { status, body } = await send(path, shown);
      assert.deepEqual([status, body], [401, UNAUTHORIZED]);
    }

    /** Every place where an admin endpoint looks for a credential, filled with the value. */
    const sources = {
      admin: {
        'body of a POST': (value: string) => ({ body: { adminSecret: value } }),
        'header of a POST': (value: string) => ({ headers: { 'X-Admin-Secret': value } }),
        'query of a GET': (value: string) => ({ method: 'GET', query: { adminSecret: value } }),
        'header of a GET': (value: string) => ({ method: 'GET', headers: { 'X-Admin-Secret': value } }),
      },
      key: {
        'body of a POST': (value: string) => ({ body: { apiKey: value } }),
        'query of a POST': (value: string) => ({ query: { apiKey: value } }),
        'X-API-Key of a POST': (value: string) => ({ headers: { 'X-API-Key': value } }),
        'Bearer of a POST': (value: string) => ({ headers: { Authorization: `Bearer ${value}` } }),
        'query of a GET': (value: string) => ({ method: 'GET', query: { apiKey: value } }),
        'X-API-Key of a GET': (value: string) => ({ method: 'GET', headers: { 'X-API-Key': value } }),
        'Bearer of a GET': (value: string) => ({ method: 'GET', headers: { Authorization: `bearer  ${value}` } }),
      },
    } as const satisfies Record<string, Record<string, (value: string) => Shown>>;

    for (const [source, shown] of Object.entries(sources.admin))
      it(`takes the admin secret from the ${source}, and only the right one`, async () => {
        await letIn('/listLicenses', shown(ADMIN_SECRET));
        const changedCase = ADMIN_SECRET.toUpperCase();
        for (const wrong of [
          'wrong',
          `${ADMIN_SECRET}x`,
          ADMIN_SECRET.slice(0, -1),
          changedCase,
          WEBHOOK_SECRET,
          apiKey,
        ])
          await turnedAway('/listLicenses', shown(wrong));
      });

    for (const [source, shown] of Object.entries(sources.key))
      it(`takes an API key from the ${source}, and only an active one`, async () => {
        await letIn('/listLicenses', shown(apiKey));
        for (const wrong of ['lk_wrong', `${apiKey}x`, apiKey.slice(0, -1), ADMIN_SECRET])
          await turnedAway('/listLicenses', shown(wrong));
      });

    it('takes both from the query or the body of a DELETE', async () => {
      for (const [name, value] of [
        ['adminSecret', ADMIN_SECRET],
        ['apiKey', apiKey],
      ] as const)
        for (const shown of [
          { query: { [name]: value, code: 'unknown' } },
          { body: { [name]: value, code: 'unknown' } },
        ]) {
          assert.equal((await send('/deleteDiscountCode', { method: 'DELETE', ...shown })).status, 404);
        }
      await turnedAway('/deleteDiscountCode', { method: 'DELETE', query: { code: 'unknown', adminSecret: 'wrong' } });
    });

    describe('several at once', () => {
      const admin = [
        (value: string) => ({ body: { adminSecret: value } }),
        (value: string) => ({ headers: { 'x-admin-secret': value } }),
      ];
      const key = [
        (value: string) => ({ body: { apiKey: value } }),
        (value: string) => ({ query: { apiKey: value } }),
        (value: string) => ({ headers: { 'x-api-key': value } }),
        (value: string) => ({ headers: { authorization: `Bearer ${value}` } }),
      ];

      /** Two credentials in one request. */
      const together = (one: Shown, other: Shown): Shown => ({
        headers: { ...one.headers, ...other.headers },
        query: { ...one.query, ...other.query },
        body: { ...one.body, ...other.body },
      });

      async function bothMustBeRight(
        one: (value: string) => Shown,
        right: string,
        other: (value: string) => Shown,
        otherRight: string,
      ): Promise<void> {
        await letIn('/listLicenses', together(one(right), other(otherRight)));
        await turnedAway('/listLicenses', together(one(right), other('wrong')));
        await turnedAway('/listLicenses', together(one('wrong'), other(otherRight)));
        await turnedAway('/listLicenses', together(one('wrong'), other('wrong')));
      }

      it('an admin secret twice: each must be right', async () => {
        const [body, header] = admin;
        await bothMustBeRight(body!, ADMIN_SECRET, header!, ADMIN_SECRET);
      });

      it('an API key twice: each must be right', async () => {
        for (const [index, one] of key.entries())
          for (const other of key.slice(index + 1)) await bothMustBeRight(one, apiKey, other, apiKey);
      });

      it('an admin secret and an API key: each must be right', async () => {
        for (const one of admin) for (const other of key) await bothMustBeRight(one, ADMIN_SECRET, other, apiKey);
      });

      it('two API keys, each right by itself, are no credential', async () => {
        const other = (await Creator.of(app)).apiKey;
        await turnedAway('/listLicenses', { body: { apiKey }, headers: { 'x-api-key': other } });
      });

      it('the admin secret decides beside an API key: it sees more than the key', async () => {
        const licenseKey = await app.license();
        assert.equal((await creator.send('/getLicense', { licenseKey })).status, 404);
        await letIn('/getLicense', { body: { licenseKey, apiKey, adminSecret: ADMIN_SECRET } });
      });

      it('a repeated header is not right', async () => {
        await turnedAway('/listLicenses', { headers: { 'x-admin-secret': `${ADMIN_SECRET}, ${ADMIN_SECRET}` } });
        await turnedAway('/listLicenses', { headers: { 'x-api-key': `${apiKey}, ${apiKey}` } });
      });

      it('a Bearer that is more than a key is not right', async () => {
        for (const authorization of [`Bearer ${apiKey} ${apiKey}`, `Bearer ${apiKey},`])
          await turnedAway('/listLicenses', { headers: { authorization }, body: { adminSecret: ADMIN_SECRET } });
      });
    });

    for (const value of [7, true, false, 0, [ADMIN_SECRET], { secret: ADMIN_SECRET }])
      it(`is not ${JSON.stringify(value)}, alone or beside the right one`, async () => {
        await turnedAway('/listLicenses', { body: { adminSecret: value } });
        await turnedAway('/listLicenses', { body: { apiKey: value } });
        await turnedAway('/listLicenses', {
          body: { adminSecret: value },
          headers: { 'x-admin-secret': ADMIN_SECRET },
        });
        await turnedAway('/listLicenses', { body: { apiKey: value, adminSecret: ADMIN_SECRET } });
      });

    for (const value of ['', null])
      it(`counts ${JSON.stringify(value)} as not shown`, async () => {
        await turnedAway('/listLicenses', { body: { adminSecret: value, apiKey: value } });
        await letIn('/listLicenses', { body: { adminSecret: value, apiKey } });
        await letIn('/listLicenses', { body: { adminSecret: ADMIN_SECRET, apiKey: value } });
      });

    it('counts empty headers and parameters as not shown', async () => {
      const empty = { headers: { 'x-admin-secret': '', 'x-api-key': '' }, query: { apiKey: '' } };
      await turnedAway('/listLicenses', empty);
      await letIn('/listLicenses', { ...empty, body: { apiKey } });
    });

    it('takes nothing but apiKey from the query of a POST', async () => {
      await turnedAway('/listLicenses', { query: { adminSecret: ADMIN_SECRET } });
      await letIn('/listLicenses', { query: { adminSecret: 'wrong' }, body: { adminSecret: ADMIN_SECRET } });
      await letIn('/listLicenses', { query: { limit: '0' }, body: { apiKey } });
      const licenseKey = await app.license();
      const { status, body } = await send('/getLicense', {
        query: { licenseKey },
        body: { adminSecret: ADMIN_SECRET },
      });
      assert.deepEqual([status, body.error], [400, 'Missing licenseKey']);
    });

    it('takes nothing from the body of a GET', async () => {
      await turnedAway('/listLicenses', { method: 'GET', body: { adminSecret: ADMIN_SECRET, apiKey } });
    });

    it('ignores other schemes of the Authorization header', async () => {
      const headers = { authorization: `Basic ${Buffer.from(`admin:${ADMIN_SECRET}`).toString('base64')}` };
      await turnedAway('/listLicenses', { headers });
      await letIn('/listLicenses', { headers, body: { apiKey } });
    });

    it('does not take the webhook secret for an admin endpoint', async () => {
      await turnedAway('/listLicenses', { headers: { 'x-webhook-secret': WEBHOOK_SECRET } });
      await turnedAway('/listLicenses', { body: { webhookSecret: WEBHOOK_SECRET } });
      await letIn('/listLicenses', { headers: { 'x-webhook-secret': 'wrong' }, body: { apiKey } });
    });

    it('is neither required nor checked at client endpoints', async () => {
      const machine = new Machine(app, await app.license());
      for (const headers of [
        {},
        { 'x-admin-secret': 'wrong' },
        { 'x-api-key': 'wrong' },
        { authorization: 'Bearer wrong' },
      ])
        assert.equal((await machine.verify({ headers })).status, 200);
    });

    describe('of the webhook', () => {
      const event = { type: 'subscription.cancelled', email: 'ada@example.com', productId: 'app' };
      const order = {
        buyerEmail: 'ada@example.com',
        buyerUserId: 'buyer',
        courseId: 'course',
        courseSlug: 'course-slug',
        courseTitle: 'Course',
        creatorId: 'creator',
        seatCount: 2,
        pricePerSeat: 1000,
        totalAmount: 2000,
        currency: 'eur',
      };
      const right = { 'x-webhook-secret': WEBHOOK_SECRET };
      before(async () => {
        await app.license(event);
      });

      it('come in the header, for the storefront also in the body', async () => {
        await letIn('/storefrontWebhook', { headers: right, body: event });
        await letIn('/storefrontWebhook', { body: { ...event, webhookSecret: WEBHOOK_SECRET } });
        await letIn('/storefrontWebhook', { headers: right, body: { ...event, webhookSecret: WEBHOOK_SECRET } });
        await letIn('/createStudioOrder', { headers: right, body: order });
        await turnedAway('/createStudioOrder', { body: { ...order, webhookSecret: WEBHOOK_SECRET } });
      });

      it('must each be right when both are shown', async () => {
        await turnedAway('/storefrontWebhook', { headers: right, body: { ...event, webhookSecret: 'wrong' } });
        const wrong = { 'x-webhook-secret': 'wrong' };
        await turnedAway('/storefrontWebhook', { headers: wrong, body: { ...event, webhookSecret: WEBHOOK_SECRET } });
      });

      it('do not come in the query', async () => {
        const query = { webhookSecret: WEBHOOK_SECRET, 'x-webhook-secret': WEBHOOK_SECRET };
        for (const [path, body] of [
          ['/storefrontWebhook', event],
          ['/createStudioOrder', order],
        ] as const)
          await turnedAway(path, { query, body });
      });

      for (const [path, body] of [
        ['/storefrontWebhook', event],
        ['/createStudioOrder', order],
        ['/validateSeatCode', { code: 'STUDIO-AAAA-BBBB' }],
        [
          '/redeemSeatCode',
          { code: 'STUDIO-AAAA-BBBB', redeemerEmail: 'a@b', redeemerUserId: 'u', storefrontPurchaseId: 'p' },
        ],
        ['/listStudioOrders', { creatorId: 'creator' }],
        ['/getStudioOrder', { studioOrderId: 'so_unknown' }],
      ] as const)
        it(`${path} does not take the admin secret, wherever it is shown`, async () => {
          await turnedAway(path, { body: { ...body, adminSecret: ADMIN_SECRET } });
          await turnedAway(path, { body, headers: { 'x-admin-secret': ADMIN_SECRET } });
          await turnedAway(path, { body, headers: { 'x-webhook-secret': ADMIN_SECRET } });
          const beside = await send(path, { body: { ...body, adminSecret: 'wrong' }, headers: right });
          assert.notEqual(beside.status, 401);
        });

      for (const [path, body] of [
        ['/storefrontWebhook', event],
        ['/createStudioOrder', order],
        ['/listStudioOrders', { creatorId: 'creator' }],
      ] as const)
        it(`${path} does not take an API key`, async () => {
          await turnedAway(path, { body: { ...body, apiKey } });
          await turnedAway(path, { body, headers: { 'x-api-key': apiKey } });
        });

      it('/getStudioOrder takes an API key, too, and each must be right when both are shown', async () => {
        const owned = { ...order, creatorId: creator.creatorId };
        const { studioOrderId } = await mustSucceed(app.webhook('/createStudioOrder', owned));
        const { studioOrderId: foreignId } = await mustSucceed(app.webhook('/createStudioOrder', order));
        await letIn('/getStudioOrder', { body: { studioOrderId, apiKey } });
        await letIn('/getStudioOrder', { method: 'GET', query: { studioOrderId, apiKey } });
        await letIn('/getStudioOrder', { body: { studioOrderId }, headers: { authorization: `Bearer ${apiKey}` } });
        await letIn('/getStudioOrder', { body: { studioOrderId: foreignId, apiKey }, headers: right });
        await turnedAway('/getStudioOrder', { body: { studioOrderId, apiKey: 'lk_wrong' }, headers: right });
        const wrong = { 'x-webhook-secret': 'wrong' };
        await turnedAway('/getStudioOrder', { body: { studioOrderId, apiKey }, headers: wrong });
      });
    });

    describe('in the order of an answer', () => {
      for (const [who, right, wrong] of [
        ['the admin secret', () => ({ adminSecret: ADMIN_SECRET }), { adminSecret: 'wrong' }],
        ['an API key', () => ({ apiKey }), { apiKey: 'lk_wrong' }],
      ] as const)
        it(`with ${who}: route, method, JSON, credential, fields, resource, state`, async () => {
          const licenseKey = await creator.license(await creator.product());
          await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'chargeback' }));
          const text = async (path: string, method: string, body: unknown) => {
            const answer = await app.send(path, body, { method });
            return [answer.status, answer.body.error];
          };
          const path = '/updateLicense';
          const lift = { licenseKey, status: 'active' };
          const unknown = 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE';
          assert.deepEqual(await text('/nowhere', 'PUT', '{'), [404, 'Not found']);
          assert.deepEqual(await text(path, 'PUT', '{'), [405, 'Method not allowed']);
          assert.deepEqual(await text(path, 'POST', '{'), [400, 'Body is not valid JSON']);
          assert.deepEqual(await text(path, 'POST', '[]'), [400, 'Body must be a JSON object']);
          assert.deepEqual(await text(path, 'POST', { maxMachines: 0 }), [401, 'Unauthorized']);
          assert.deepEqual(await text(path, 'POST', { ...wrong, maxMachines: 0 }), [401, 'Unauthorized']);
          assert.deepEqual(await text(path, 'POST', { ...right(), maxMachines: 0 }), [400, 'Missing licenseKey']);
          const bad = { ...right(), licenseKey: unknown, status: 'lifted' };
          assert.deepEqual(await text(path, 'POST', bad), [400, 'status must be one of active, revoked']);
          const notFound = { ...right(), ...lift, licenseKey: unknown };
          assert.deepEqual(await text(path, 'POST', notFound), [404, 'License not found']);
          assert.equal((await text(path, 'POST', { ...right(), ...lift }))[0], 409);
        });
    });
  });
