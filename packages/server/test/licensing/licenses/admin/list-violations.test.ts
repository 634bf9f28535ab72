/** The board of violations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../../src/ground/base/clock.ts';
import { mintId } from '../../../../src/ground/base/random.ts';
import { assertRefused } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { execute } from '../../../support/own-connection.ts';
import { pagesOf } from '../../../support/pages.ts';
import { startedApp } from '../../../support/started-app.ts';

interface Listed {
  readonly id: string;
  readonly type: string;
  readonly severity: number;
  readonly licenseKey: string;
  readonly resolvedAt: string | null;
}

for (const engine of engines)
  describe(`/listViolations on ${engine}`, () => {
    const app = startedApp(engine);

    const ownProduct = () => `product-${mintId()}`;

    async function listed(fields: Readonly<Record<string, unknown>>, send = app.admin): Promise<Listed[]> {
      return (await pagesOf(send, '/listViolations', fields, 'violations')).flat();
    }

    const keysOf = async (fields: Readonly<Record<string, unknown>>, send = app.admin) =>
      (await listed(fields, send)).map(({ licenseKey }) => licenseKey);

    /** A license with a violation of machine_limit, of severity 1. */
    async function crowded(productId: string): Promise<string> {
      const key = await app.license({ productId, maxMachines: 1 });
      for (const fingerprint of ['first', 'second']) await new Machine(app, key, fingerprint, productId).activate();
      app.clock.move(1);
      return key;
    }

    /** A license with a violation of severity 4. */
    async function reported(productId: string, reason: 'refund' | 'fraud'): Promise<string> {
      const key = await app.license({ productId });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: key, reason }));
      app.clock.move(1);
      return key;
    }

    it('names a bound machine that showed a token of another one, of which its app sent the fingerprint only', async () => {
      const productId = ownProduct();
      const licenseKey = await app.license({ productId, maxMachines: 2 });
      const activate = (machineFingerprint: string, hostname: string) =>
        mustSucceed(app.send('/activate', { licenseKey, productId, machineFingerprint, hostname }));
      const { token } = await activate('f1', 'Studio iMac');
      await activate('f2', 'Copied laptop');
      for (const machineFingerprint of ['f2', 'f3'])
        assert.notEqual((await app.send('/validate', { licenseKey, machineFingerprint, token })).status, 200);
      const named = async (path: string) =>
        (await mustSucceed(app.admin(path, { licenseKey }))).violations.flatMap(
          ({ evidence }: { evidence: { machines: object[] } }) => evidence.machines,
        );
      const [first] = await named('/listViolations');
      assert.deepEqual([first.fingerprint, first.hostname], ['f2', 'Copied laptop']);
      assert.equal((await named('/getLicense'))[0].hostname, undefined, 'the stored evidence has none');
    });

    it('answers each violation with the license that it is of', async () => {
      const productId = ownProduct();
      const key = await reported(productId, 'refund');
      const { violations, count } = await mustSucceed(app.admin('/listViolations', { productId }));
      const { violations: own } = await mustSucceed(app.admin('/getLicense', { licenseKey: key }));
      assert.equal(count, 1);
      assert.deepEqual(violations, [
        { ...own[0], licenseKey: key, email: 'ada@example.com', productId, licenseStatus: 'revoked' },
      ]);
    });

    it('lists the most severe first, and of one severity the one that was opened last', async () => {
      const productId = ownProduct();
      const [mild, grave, newer, other] = [
        await crowded(productId),
        await reported(productId, 'fraud'),
        await crowded(productId),
        await reported(productId, 'refund'),
      ];
      const order = [other, grave, newer, mild];
      for (const limit of [1, 2, 3, 100]) assert.deepEqual(await keysOf({ productId, limit }), order, `by ${limit}`);
      const everywhere = await keysOf({ limit: 1000 });
      assert.deepEqual(
        everywhere.filter((key) => order.includes(key)),
        order,
      );
    });

    it('filters by state, type, severity, product and license, all together', async () => {
      const productId = ownProduct();
      const [mild, grave] = [await crowded(productId), await reported(productId, 'fraud')];
      const resolved = await reported(productId, 'refund');
      const [found] = await listed({ licenseKey: resolved });
      await mustSucceed(app.admin('/resolveLicense', { licenseKey: resolved, violationIds: [found?.id] }));
      assert.deepEqual(await keysOf({ productId }), [resolved, grave, mild]);
      assert.deepEqual(await keysOf({ productId, open: true }), [grave, mild]);
      assert.deepEqual(await keysOf({ productId, open: false }), [resolved]);
      assert.deepEqual(await keysOf({ productId, type: 'refund' }), [resolved]);
      assert.deepEqual(await keysOf({ productId, type: 'refund', open: true }), []);
      assert.deepEqual(await keysOf({ productId, type: 'machine_limit', open: true }), [mild]);
      assert.deepEqual(await keysOf({ productId, minimumSeverity: 2 }), [resolved, grave]);
      assert.deepEqual(await keysOf({ productId, minimumSeverity: 2, open: true, type: 'fraud' }), [grave]);
      assert.deepEqual(await keysOf({ productId, minimumSeverity: 2, type: 'machine_limit' }), []);
      assert.deepEqual(await keysOf({ licenseKey: ` ${mild.toLowerCase()} ` }), [mild]);
      assert.deepEqual(await keysOf({ licenseKey: mild, minimumSeverity: 2 }), []);
      assert.deepEqual(await keysOf({ licenseKey: mild, open: false }), []);
      assert.deepEqual(await keysOf({ licenseKey: mild, type: 'machine_limit', productId }), [mild]);
      assert.deepEqual(await keysOf({ licenseKey: mild, productId: ownProduct() }), []);
      const ofType = await keysOf({ type: 'machine_limit', open: true, limit: 1000 });
      assert.ok(ofType.includes(mild) && !ofType.includes(grave));
    });

    it('selects refunds and chargebacks, or all others, in the same order, and counts them', async () => {
      const productId = ownProduct();
      const [mild, refund, fraud] = [
        await crowded(productId),
        await reported(productId, 'refund'),
        await reported(productId, 'fraud'),
      ];
      const chargeback = await app.license({ productId });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: chargeback, reason: 'chargeback' }));
      const total = async (fields: Readonly<Record<string, unknown>>) =>
        (await mustSucceed(app.admin('/listViolations', { withTotal: true, limit: 1, ...fields }))).total;
      for (const limit of [1, 2, 100]) {
        assert.deepEqual(await keysOf({ productId, disputes: true, limit }), [chargeback, refund], `by ${limit}`);
        assert.deepEqual(await keysOf({ productId, disputes: false, limit }), [fraud, mild], `by ${limit}`);
      }
      const everywhere = await keysOf({ open: true, disputes: false, limit: 1000 });
      assert.ok(everywhere.includes(mild) && !everywhere.includes(refund));
      assert.deepEqual(await keysOf({ productId, disputes: false, type: 'refund' }), []);
      assert.deepEqual(await keysOf({ productId, disputes: true, type: 'refund', open: true }), [refund]);
      assert.deepEqual(await keysOf({ licenseKey: refund, disputes: false }), []);
      assert.deepEqual(await keysOf({ licenseKey: refund, disputes: true }), [refund]);
      assert.deepEqual(await total({ productId }), { count: 4, isAtLeast: false });
      assert.deepEqual(await total({ productId, disputes: false, minimumSeverity: 4 }), { count: 1, isAtLeast: false });
      assert.deepEqual(await total({ productId, open: false }), { count: 0, isAtLeast: false });
      assert.deepEqual(await total({ licenseKey: refund, open: true }), { count: 1, isAtLeast: false });
      assert.equal((await mustSucceed(app.admin('/listViolations', { productId }))).total, undefined);
    });

    it('counts a thousand violations, and says where there are more', async () => {
      const productId = ownProduct();
      const licenseKey = await reported(productId, 'fraud');
      const total = async (fields: object) =>
        (await mustSucceed(app.admin('/listViolations', { withTotal: true, limit: 1, ...fields }))).total;
      const others = (count: number, name: string) =>
        execute(
          app.database,
          `with recursive numbered(n) as (select 1 union all select n + 1 from numbered where n < ${count})
           insert into violation (license_key, violation_id, type, severity, occurrences, first_seen, last_seen, evidence,
             product_id)
           select '${licenseKey}', '${name} ' || n, 'fraud', 4, 1, '', '', '{}', '${productId}' from numbered`,
        );
      for (const [count, isAtLeast] of [
        [999, false],
        [1, true],
      ] as const) {
        await others(count, String(count));
        for (const fields of [{ productId }, { licenseKey }, { productId, open: true }])
          assert.deepEqual(await total(fields), { count: 1000, isAtLeast });
      }
    });

    it('pages through the violations of one license', async () => {
      const licenseKey = await crowded(ownProduct());
      for (const reason of ['fraud', 'refund', 'chargeback'])
        await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason }));
      const all = (await listed({ licenseKey })).map(({ id }) => id);
      assert.equal(new Set(all).size, 4);
      assert.deepEqual(
        (await listed({ licenseKey, limit: 1 })).map(({ id }) => id),
        all,
      );
    });

    it('lists each once while others are opened, seen again and resolved between pages', async () => {
      const productId = ownProduct();
      const made: string[] = [];
      for (let index = 0; index < 3; index++) made.push(await reported(productId, 'fraud'), await crowded(productId));
      const ids = new Map((await listed({ productId })).map(({ licenseKey, id }) => [licenseKey, id]));
      const toResolve = [...made];
      const pages = await pagesOf(app.admin, '/listViolations', { productId, limit: 2 }, 'violations', async () => {
        await reported(productId, 'fraud');
        const again = new Machine(app, made[1] as string, 'third', productId);
        assert.equal((await again.activate()).status, 403);
        const licenseKey = toResolve.pop();
        await mustSucceed(app.admin('/resolveLicense', { licenseKey, violationIds: [ids.get(licenseKey as string)] }));
      });
      const keys = pages.flat().map(({ licenseKey }) => licenseKey);
      assert.deepEqual(keys.filter((key) => made.includes(key)).sort(), made.toSorted());
    });

    it('lists those first seen between two times, both included, in both orders and pages of any size', async () => {
      const productId = ownProduct();
      const made: { readonly key: string; readonly at: string }[] = [];
      for (const kind of ['mild', 'fraud', 'mild', 'refund', 'mild', 'fraud'] as const) {
        const key = await (kind === 'mild' ? crowded(productId) : reported(productId, kind));
        const [{ firstSeen: at }] = (await mustSucceed(app.admin('/listViolations', { licenseKey: key }))).violations;
        made.push({ key, at });
        app.clock.move(DAY_MS);
      }
      const keys = made.map(({ key }) => key);
      const [a, b, c, d, e, f] = keys as [string, string, string, string, string, string];
      const [firstSeenFrom, firstSeenTo] = [made[1]!.at, made[4]!.at];
      const total = async (fields: object) =>
        (await mustSucceed(app.admin('/listViolations', { productId, withTotal: true, limit: 1, ...fields }))).total;
      for (const limit of [1, 2, 3, 1000]) {
        const list = (fields: object) => keysOf({ productId, limit, ...fields });
        const range = { firstSeenFrom, firstSeenTo };
        assert.deepEqual(await list(range), [d, b, e, c], `by ${limit}`);
        assert.deepEqual(await list({ ...range, sort: 'gravest' }), [d, b, e, c]);
        assert.deepEqual(await list({ ...range, sort: 'oldest' }), [b, c, d, e]);
        assert.deepEqual(await list({ sort: 'oldest' }), keys);
        assert.deepEqual(await list({ ...range, open: true, minimumSeverity: 2 }), [d, b]);
        assert.deepEqual(await list({ sort: 'oldest', open: true, minimumSeverity: 2 }), [b, d, f]);
        assert.deepEqual(await list({ ...range, type: 'machine_limit', sort: 'oldest' }), [c, e]);
        assert.deepEqual(await list({ firstSeenTo, disputes: false }), [b, e, c, a]);
        assert.deepEqual(await list({ firstSeenFrom, disputes: false, sort: 'oldest' }), [b, c, e, f]);
      }
      assert.deepEqual(await total({ firstSeenFrom, firstSeenTo }), { count: 4, isAtLeast: false });
      assert.deepEqual(await total({ firstSeenFrom, disputes: true }), { count: 1, isAtLeast: false });
      assert.deepEqual(await keysOf({ productId, firstSeenFrom: firstSeenTo, firstSeenTo: firstSeenFrom }), []);
      assert.deepEqual(await keysOf({ productId, firstSeenTo: made[0]!.at.slice(0, 10) }), [a]);
      assert.deepEqual(await keysOf({ licenseKey: b, firstSeenFrom }), [b]);
      assert.deepEqual(await keysOf({ licenseKey: b, firstSeenFrom: made[2]!.at }), []);
      assert.deepEqual(await keysOf({ licenseKey: b, firstSeenTo: made[0]!.at }), []);
    });

    it('lists open and resolved ones the oldest first in one list', async () => {
      const productId = ownProduct();
      const made = [await reported(productId, 'fraud'), await crowded(productId), await reported(productId, 'refund')];
      const [found] = await listed({ licenseKey: made[0] });
      await mustSucceed(app.admin('/resolveLicense', { licenseKey: made[0], violationIds: [found?.id] }));
      for (const limit of [1, 1000])
        assert.deepEqual(await keysOf({ productId, sort: 'oldest', limit }), made, `by ${limit}`);
      assert.deepEqual(await keysOf({ productId, sort: 'oldest', open: true }), made.slice(1));
      assert.deepEqual(await keysOf({ productId, sort: 'oldest', open: false }), made.slice(0, 1));
    });

    it('lists the violations of one license the oldest first', async () => {
      const licenseKey = await crowded(ownProduct());
      for (const reason of ['fraud', 'refund']) {
        await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason }));
        app.clock.move(1);
      }
      for (const limit of [1, 1000])
        assert.deepEqual(
          (await listed({ licenseKey, sort: 'oldest', limit })).map(({ type }) => type),
          ['machine_limit', 'fraud', 'refund'],
        );
    });

    it('goes on at the range when a cursor points before it', async () => {
      const productId = ownProduct();
      const made: string[] = [];
      for (let index = 0; index < 4; index += 1) {
        made.push(await reported(productId, 'fraud'));
        app.clock.move(DAY_MS);
      }
      const { violations } = await mustSucceed(app.admin('/listViolations', { productId }));
      const at = violations.map(({ firstSeen }: { firstSeen: string }) => firstSeen).toReversed();
      const ahead = async (fields: object, range: object) => {
        const page = { productId, ...fields };
        const { nextCursor: cursor } = await mustSucceed(app.admin('/listViolations', { ...page, limit: 1 }));
        return keysOf({ ...page, ...range, cursor });
      };
      assert.deepEqual(await ahead({}, { firstSeenTo: at[1] }), [made[1], made[0]]);
      assert.deepEqual(await ahead({ sort: 'oldest' }, { firstSeenFrom: at[2] }), [made[2], made[3]]);
    });

    it("lists an API key's own products in one order", async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const [one, other, foreign] = [await creator.product(), await creator.product(), await stranger.product()];
      const mild = await crowded(one);
      const graves = [await reported(other, 'fraud'), await reported(one, 'refund')];
      const theirs = await reported(foreign, 'fraud');
      const mine = creator.send;
      for (const limit of [1, 2, 100])
        for (const fields of [{ limit }, { limit, firstSeenFrom: '2020-01-01' }])
          assert.deepEqual(await keysOf(fields, mine), [...graves.toReversed(), mild], JSON.stringify(fields));
      for (const limit of [1, 2, 100])
        assert.deepEqual(await keysOf({ limit, sort: 'oldest' }, mine), [mild, ...graves], `by ${limit}`);
      assert.deepEqual(await keysOf({ productId: foreign }, mine), []);
      assert.deepEqual(await keysOf({ licenseKey: theirs }, mine), []);
      assert.deepEqual(await keysOf({ licenseKey: mild }, mine), [mild]);
      for (let index = 0; index < 29; index++) await creator.product();
      const { status, body } = await creator.send('/listViolations', { open: true });
      assert.deepEqual([status, body.error], [400, 'You own more than 30 products: provide a productId']);
      assert.deepEqual(await keysOf({ productId: one, open: true, minimumSeverity: 2 }, mine), [graves[1]]);
    });

    for (const [fields, error] of [
      [{ type: 'piracy' }, /^type must be one of machine_limit, .*fraud$/],
      [{ minimumSeverity: 0 }, /^minimumSeverity must be a whole number from 1 to 4$/],
      [{ open: 'perhaps' }, /^open must be true or false$/],
      [{ sort: 'newest' }, /^sort must be one of gravest, oldest$/],
      [{ firstSeenFrom: 'yesterday' }, /^firstSeenFrom must be an ISO 8601 timestamp/],
      [{ limit: 1001 }, /^limit must be a whole number from 1 to 1000$/],
      [{ cursor: 'bogus' }, /^cursor is not the nextCursor of an earlier answer$/],
      [{ cursor: Buffer.from('["9","",""]').toString('base64url') }, /^cursor is not/],
    ] as const)
      it(`400 for ${JSON.stringify(fields)}`, async () => {
        const { status, body } = await app.admin('/listViolations', fields);
        assert.equal(status, 400);
        assert.match(body.error, error);
      });

    it('401 without a credential', async () => {
      assertRefused(await app.send('/listViolations', { open: true }), 401, 'Unauthorized');
    });
  });
