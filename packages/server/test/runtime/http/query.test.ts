/** Query strings: the permitted contents, and the parts that are read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_SECRET, type Answer } from '../../support/app.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const TOO_LARGE = 'Query has more than 50 parameters or 8 KiB';

/** A query of this many parameters. */
const parameters = (count: number) => Array.from({ length: count }, (_, index) => `n${index}=1`).join('&');
/** A query of this many bytes in one parameter. */
const bytes = (length: number) => `n=${'x'.repeat(length - 2)}`;

for (const engine of engines)
  describe(`A query string on ${engine}`, () => {
    const app = startedApp(engine);

    const get = (path: string): Promise<Answer> => app.send(path, undefined, { method: 'GET' });

    /** The same query at an endpoint with each method, and at a document. */
    const everywhere = async (query: string): Promise<Answer[]> => {
      const headers = { 'x-admin-secret': ADMIN_SECRET };
      return Promise.all([
        app.send(`/listLicenses?${query}`, {}, { headers }),
        app.send(`/listLicenses?${query}`, undefined, { method: 'GET', headers }),
        app.send(`/deleteDiscountCode?${query}`, { code: 'unknown' }, { method: 'DELETE', headers }),
        get(`/healthz?${query}`),
        get(`/openapi.json?${query}`),
      ]);
    };
    const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);
    const ANSWERED = [200, 200, 404, 200, 200];

    it('may have 50 parameters and no more, with any method', async () => {
      assert.deepEqual(statusesOf(await everywhere(parameters(50))), ANSWERED);
      for (const answer of await everywhere(parameters(51)))
        assert.deepEqual([answer.status, answer.body.error], [400, TOO_LARGE]);
    });

    it('may have 8 KiB and no more, with any method', async () => {
      assert.deepEqual(statusesOf(await everywhere(bytes(8192))), ANSWERED);
      for (const answer of await everywhere(bytes(8193)))
        assert.deepEqual([answer.status, answer.body.error], [400, TOO_LARGE]);
    });

    it('counts no parameter between two adjacent ampersands', async () => {
      assert.deepEqual(statusesOf(await everywhere(`${'&'.repeat(100)}${parameters(50)}&&`)), ANSWERED);
    });

    it('counts a parameter each time it is given', async () => {
      assert.equal((await get(`/healthz?${'n=1&'.repeat(51)}`)).status, 400);
    });

    it('is refused for its size before the credential in it is looked at', async () => {
      for (const secret of ['wrong', ADMIN_SECRET])
        assert.equal((await get(`/listLicenses?${parameters(50)}&adminSecret=${secret}`)).body.error, TOO_LARGE);
    });

    it('may name a field once: twice is a wrong type', async () => {
      const { status, body } = await get(
        `/listLicenses?adminSecret=${ADMIN_SECRET}&email=a@b.example&email=a@b.example`,
      );
      assert.equal(status, 400);
      assert.match(body.error, /email/);
    });

    it('is no credential when it names one twice, even if each is right', async () => {
      const one = await Creator.of(app);
      const other = await Creator.of(app);
      assert.equal((await get(`/listLicenses?apiKey=${one.apiKey}`)).status, 200);
      assert.equal((await get(`/listLicenses?apiKey=${one.apiKey}&apiKey=${other.apiKey}`)).status, 401);
      assert.equal((await get(`/listLicenses?apiKey=${one.apiKey}&apiKey=${one.apiKey}`)).status, 401);
      assert.equal((await get(`/listLicenses?adminSecret=${ADMIN_SECRET}&adminSecret=${ADMIN_SECRET}`)).status, 401);
      const inBoth = { method: 'POST' };
      const two = `/listLicenses?apiKey=${one.apiKey}&apiKey=${other.apiKey}`;
      assert.equal((await app.send(two, { adminSecret: ADMIN_SECRET }, inBoth)).status, 401);
    });

    it('names of an object are parameters like any other', async () => {
      for (const name of ['__proto__', 'constructor', 'hasOwnProperty'])
        assert.equal((await get(`/listLicenses?adminSecret=${ADMIN_SECRET}&${name}=1&${name}=2`)).status, 200);
      assert.equal((await get('/listLicenses?__proto__=1')).status, 401);
    });

    describe('of a DELETE', () => {
      const remove = (query: string, body?: Readonly<Record<string, unknown>>) =>
        app.send(`/deleteDiscountCode?adminSecret=${ADMIN_SECRET}${query}`, body, { method: 'DELETE' });
      const make = async (code: string) => {
        assert.equal((await app.admin('/createDiscountCode', { code, trialDays: 1 })).body.success, true);
      };
      const codes = async () => {
        const { body } = await get(`/listDiscountCodes?adminSecret=${ADMIN_SECRET}`);
        return body.codes.map(({ code }: { code: string }) => code);
      };

      it('gives the fields that the body does not, and the body decides where both do', async () => {
        const [inQuery, inBody] = ['IN-QUERY', 'IN-BODY'];
        for (const code of [inQuery, inBody]) await make(code);
        assert.equal((await remove(`&code=${inQuery}`, { code: inBody })).status, 200);
        assert.deepEqual(await codes(), [inQuery]);
        assert.equal((await remove(`&code=${inQuery}`, {})).status, 200);
        assert.deepEqual(await codes(), []);
        await make(inBody);
        assert.equal((await remove('', { code: inBody })).status, 200);
        assert.deepEqual(await codes(), []);
      });

      it('is no credential beside a wrong one in the body', async () => {
        assert.equal((await remove('&code=unknown', { adminSecret: 'wrong' })).status, 401);
      });
    });
  });
