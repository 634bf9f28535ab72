import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { product } from '../../licensing/products/catalogue.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';
import { makeCode, makeCreator } from './creator.ts';

for (const engine of engines)
  describe(`/listDiscountCodes on ${engine}`, () => {
    const app = startedApp(engine);

    const codesOf = (body: { codes: { code: string }[] }) => body.codes.map(({ code }) => code);

    it('lists newest first', async () => {
      const { creatorId } = await makeCreator(app);
      const made: string[] = [];
      for (let count = 0; count < 3; count++) {
        made.unshift(await makeCode(app, { creatorId }));
        app.clock.move(1000);
      }
      const { body } = await app.admin('/listDiscountCodes', { creatorId });
      assert.deepEqual(codesOf(body), made);
      assert.equal(body.count, 3);
    });

    it('filters by creator, by product, and by both', async () => {
      const [one, other] = [await makeCreator(app), await makeCreator(app)];
      const free = await makeCode(app, { apiKey: one.apiKey });
      const bound = await makeCode(app, { apiKey: one.apiKey, productId: one.productId });
      await makeCode(app, { apiKey: other.apiKey });
      const list = async (filter: object) =>
        codesOf((await app.admin('/listDiscountCodes', { ...filter })).body).sort();
      assert.deepEqual(await list({ creatorId: one.creatorId }), [free, bound].sort());
      assert.deepEqual(await list({ productId: one.productId }), [bound]);
      assert.deepEqual(await list({ creatorId: one.creatorId, productId: one.productId }), [bound]);
      assert.deepEqual(await list({ creatorId: other.creatorId, productId: one.productId }), []);
    });

    it('shows an API key the codes of its creator only, with any filter', async () => {
      const [mine, theirs] = [await makeCreator(app), await makeCreator(app)];
      const code = await makeCode(app, { apiKey: mine.apiKey });
      await makeCode(app, { apiKey: theirs.apiKey, productId: theirs.productId });
      await makeCode(app);
      const { apiKey } = mine;
      for (const filter of [{}, { creatorId: theirs.creatorId }])
        assert.deepEqual(codesOf((await app.send('/listDiscountCodes', { apiKey, ...filter })).body), [code]);
      const foreign = await app.send('/listDiscountCodes', { apiKey, productId: theirs.productId });
      assert.deepEqual(foreign.body, { success: true, codes: [], count: 0 });
    });

    it('finds the one code that is named, without case, if it fits what else is given', async () => {
      const { creatorId, productId, apiKey } = await makeCreator(app);
      const code = await makeCode(app, { apiKey, productId });
      const find = async (fields: object) => codesOf((await app.admin('/listDiscountCodes', { code, ...fields })).body);
      assert.deepEqual(await find({}), [code]);
      assert.deepEqual(await find({ code: ` ${code.toUpperCase()} `, creatorId, productId }), [code]);
      assert.deepEqual(await find({ productId: 'another' }), []);
      assert.deepEqual(await find({ creatorId: 'another' }), []);
      assert.deepEqual(await find({ code: 'no-such-code' }), []);
    });

    it('finds no code of others by its name for an API key', async () => {
      const [mine, theirs] = [await makeCreator(app), await makeCreator(app)];
      const { apiKey } = mine;
      const own = await makeCode(app, { apiKey });
      const foreign = [await makeCode(app, { apiKey: theirs.apiKey }), await makeCode(app)];
      const find = async (code: string) => (await app.send('/listDiscountCodes', { apiKey, code })).body;
      assert.deepEqual(codesOf(await find(own)), [own]);
      for (const code of foreign) assert.deepEqual(await find(code), { success: true, codes: [], count: 0 });
    });

    it('walks all pages once, also over codes of one moment', async () => {
      const { creatorId } = await makeCreator(app);
      const productId = await product(app, { creatorId });
      const made = new Set<string>();
      for (let count = 0; count < 5; count++) made.add(await makeCode(app, { creatorId, productId }));
      const pages = await pagesOf(app.admin, '/listDiscountCodes', { creatorId, productId, limit: 2 }, 'codes');
      assert.deepEqual(
        pages.map((page) => page.length),
        [2, 2, 1],
      );
      assert.deepEqual(new Set(pages.flat().map(({ code }) => code)), made);
    });

    it('takes its fields from the query of a GET', async () => {
      const { creatorId, apiKey } = await makeCreator(app);
      const code = await makeCode(app, { creatorId });
      const { body } = await app.send(`/listDiscountCodes?apiKey=${apiKey}&limit=1`, undefined, { method: 'GET' });
      assert.deepEqual(codesOf(body), [code]);
    });

    it('401 without a credential', async () => {
      assert.equal((await app.send('/listDiscountCodes')).status, 401);
    });

    for (const [field, value] of [
      ['limit', 0],
      ['limit', 1001],
      ['cursor', 'nonsense'],
    ] as const)
      it(`400 that names ${field} when it is ${value}`, async () => {
        const answer = await app.admin('/listDiscountCodes', { [field]: value });
        assert.equal(answer.status, 400);
        assert.match(answer.body.error, new RegExp(`^${field} `));
      });
  });
