/** /findLicenses: the licenses that the lines of a pasted list name. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintId } from '../../../../src/ground/base/random.ts';
import { assertRefused } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { startedApp } from '../../../support/started-app.ts';

interface Line {
  readonly name: string;
  readonly licenses: readonly { readonly key: string }[];
  readonly isMore?: true;
}

const UNKNOWN_KEY = 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA';

for (const engine of engines)
  describe(`/findLicenses on ${engine}`, () => {
    const app = startedApp(engine);

    const find = async (names: readonly string[], send = app.admin, fields: object = {}): Promise<readonly Line[]> =>
      (await mustSucceed(send('/findLicenses', { names, ...fields }))).lines;
    const keysOf = (lines: readonly Line[]) => lines.map(({ licenses }) => licenses.map(({ key }) => key));
    const ownAddress = () => `${mintId().toLowerCase()}@example.com`;

    it('finds keys in any form, addresses in any case and purchases, in the order of the lines', async () => {
      const [productId, email, purchaseId] = [`product-${mintId()}`, ownAddress(), `Order ${mintId()}`];
      const first = await app.license({ productId, email });
      app.clock.move(1);
      const second = await app.license({ productId, email });
      const sold = await app.license({ productId, email: ownAddress(), purchaseId });
      const typed = ` "${first.toLowerCase().replaceAll('-', ' ')}" `;
      const names = [
        'nobody@example.com',
        typed,
        email.toUpperCase(),
        purchaseId,
        purchaseId.toLowerCase(),
        UNKNOWN_KEY,
      ];
      const lines = await find(names);
      assert.deepEqual(
        lines.map(({ name }) => name),
        names,
      );
      assert.deepEqual(keysOf(lines), [[], [first], [second, first], [sold], [], []]);
      const { licenses } = await mustSucceed(app.admin('/listLicenses', { email, detail: true }));
      assert.deepEqual(lines[2]?.licenses, licenses);
      assert.deepEqual(keysOf(await find([email, purchaseId], app.admin, { productId: 'another' })), [[], []]);
    });

    it('lists a line once that stands there again in another form', async () => {
      const email = ownAddress();
      const key = await app.license({ email });
      const lines = await find([email, key, email.toUpperCase(), key.replaceAll('-', ''), `<${key}>`, 'pi_A', 'pi_a']);
      assert.deepEqual(
        lines.map(({ name }) => name),
        [email, key, 'pi_A', 'pi_a'],
      );
    });

    it('shows 20 licenses of a line, the newest, and says that there are more', async () => {
      const [productId, email] = [`product-${mintId()}`, ownAddress()];
      const made: string[] = [];
      for (let number = 0; number < 21; number += 1) {
        made.unshift(await app.license({ productId, email }));
        app.clock.move(1);
      }
      for (const fields of [{}, { productId }]) {
        const [line] = await find([email], app.admin, fields);
        assert.deepEqual(keysOf([line!]), [made.slice(0, 20)]);
        assert.equal(line?.isMore, true);
      }
      await app.admin('/changeEmail', { licenseKey: made[0], newEmail: ownAddress() });
      const [line] = await find([email]);
      assert.deepEqual([line?.licenses.length, line && 'isMore' in line], [20, false]);
    });

    it('tells a creator nothing about licenses of others', async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const [own, foreign] = [await creator.product(), await stranger.product()];
      const [email, purchaseId] = [ownAddress(), `order-${mintId()}`];
      const mine = await creator.license(own, { email, purchaseId });
      const theirs = await stranger.license(foreign, { email, purchaseId });
      const onlyTheirs = ownAddress();
      await stranger.license(foreign, { email: onlyTheirs });
      const names = [email, purchaseId, theirs, onlyTheirs, UNKNOWN_KEY];
      assert.deepEqual(keysOf(await find(names, creator.send)), [[mine], [mine], [], [], []]);
      const [ofForeign, ofUnknown] = await find([theirs, UNKNOWN_KEY], creator.send);
      assert.deepEqual({ ...ofForeign, name: UNKNOWN_KEY }, ofUnknown);
      assert.deepEqual(keysOf(await find([theirs, email], creator.send, { productId: foreign })), [[], []]);
    });

    it('sorts a list of 200 lines: 13 unknown, 5 of others, 3 twice', async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const [own, foreign] = [await creator.product(), await stranger.product()];
      const mine: string[] = [];
      for (let number = 0; number < 179; number += 1) mine.push(await creator.license(own, { email: ownAddress() }));
      const theirs: string[] = [];
      for (let number = 0; number < 5; number += 1) theirs.push(await stranger.license(foreign));
      const unknown = Array.from({ length: 13 }, () => ownAddress());
      const names = [...mine, ...theirs, ...unknown, ...mine.slice(0, 3)];
      assert.equal(names.length, 200);
      const lines = await find(names, creator.send);
      assert.equal(lines.length, 197);
      assert.deepEqual(
        lines.filter(({ licenses }) => licenses.length === 0).map(({ name }) => name),
        [...theirs, ...unknown],
      );
      assert.deepEqual(keysOf(lines).flat(), mine);
    });

    it('asks an API key with more than 30 products for one of them', async () => {
      const creator = await Creator.of(app);
      const products: string[] = [];
      for (let number = 0; number < 31; number += 1) products.push(await creator.product());
      const key = await creator.license(products[30]!);
      assertRefused(
        await creator.send('/findLicenses', { names: [key] }),
        400,
        'You own more than 30 products: provide a productId',
      );
      assert.deepEqual(keysOf(await find([key], creator.send, { productId: products[30] })), [[key]]);
    });

    it('refuses other lists, and names the line', async () => {
      const form = 'names must be a list of 1 to 200 strings of 1 to 512 characters';
      const wrong = (entry: number) => `${form} without NUL or half of a surrogate pair; entry ${entry} is none`;
      const refused = async (names: unknown, message: string) =>
        assertRefused(await app.admin('/findLicenses', { names }), 400, message);
      await refused(undefined, 'Missing names');
      await refused([], form);
      await refused('ada@example.com', form);
      await refused(
        Array.from({ length: 201 }, (_, index) => `line ${index}`),
        form,
      );
      await refused(['ada', ''], wrong(1));
      await refused(['ada', 7], wrong(1));
      await refused(['a\0da'], wrong(0));
      await refused(['\ud800'], wrong(0));
      await refused(['x'.repeat(513)], wrong(0));
      assert.deepEqual(await find(['x'.repeat(512), '@', '!', ' ']), [
        ...['x'.repeat(512), '@', '!', ' '].map((name) => ({ name, licenses: [] })),
      ]);
    });
  });
