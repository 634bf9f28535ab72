/** Values that a caller saw: a change of a thing outside licenses is refused if they are not the stored ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { inspect } from '../../support/answers.ts';
import { ADMIN_SECRET, type Answer } from '../../support/app.ts';
import { signIn } from '../../support/console.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';

/** A thing, and how to change and read it. */
interface Thing {
  readonly path: string;
  /** The fields that name it. */
  readonly named: Readonly<Record<string, unknown>>;
  readonly read: () => Promise<Readonly<Record<string, unknown>>>;
}

const CHANGES = [
  ['Product', 'name', 'First', 'Second', 'Third'],
  ['Product', 'status', 'live', 'unlisted', 'archived'],
  ['Variant', 'maxMachines', 2, 3, 4],
  ['Variant', 'maxConcurrent', null, 3, 4],
  ['Variant', 'defaultTrialDays', null, 3, 4],
  ['Variant', 'durationDays', null, 30, 365],
  ['Variant', 'price', null, 4900, 0],
  ['Variant', 'active', true, false, true],
  ['Variant', 'graceDays', null, 3, 4],
  ['Variant', 'durationMonths', null, 3, 4],
  ['Variant', 'maxVersion', null, '2', '3'],
  ['Variant', 'usersFloat', null, true, false],
  ['Code', 'active', true, false, true],
  ['Code', 'maxUses', null, 5, 9],
  ['Code', 'expiresAt', null, '2040-01-31T00:00:00.000Z', '2041-01-31T00:00:00.000Z'],
] as const;

const URL = 'https://hooks.example.com/secret-path';
const NAMES = ['a', 'b', 'c', 'd', 'e'];

const was = (field: string) => `was${field.charAt(0).toUpperCase()}${field.slice(1)}`;
const errorOf = async (answer: Promise<Answer>) => (await answer).body.error;

for (const engine of engines)
  describe(`values that a caller saw on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests-0123456789' });

    async function makeThing(kind: string, creator: Creator): Promise<Thing> {
      const productId = await creator.product({ name: 'First' });
      if (kind === 'Product') {
        const list = async () => (await mustSucceed(creator.send('/listProducts', { includeAll: true }))).products;
        const read = async () => (await list()).find((each: { productId: string }) => each.productId === productId);
        return { path: '/updateProduct', named: { productId }, read };
      }
      if (kind === 'Variant') {
        const variantId = await creator.variant(productId, { name: 'indie' });
        const listed = { productId, includeInactive: true };
        const read = async () => (await mustSucceed(creator.send('/listVariants', listed))).variants[0];
        return { path: '/updateVariant', named: { variantId, productId }, read };
      }
      const { code } = await mustSucceed(
        creator.send('/createDiscountCode', { code: `Code-${mintUuid()}`, trialDays: 14, productId }),
      );
      const read = async () => (await mustSucceed(creator.send('/listDiscountCodes', { code }))).codes[0];
      return { path: '/updateDiscountCode', named: { code }, read };
    }

    /** Sends five changes at once, of which one must succeed; returns the value of that one. */
    async function onlyOne<Value>(values: readonly Value[], send: (value: Value) => Promise<Answer>): Promise<Value> {
      await fillPool(app);
      const statuses = (await Promise.all(values.map(send))).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [200, 409, 409, 409, 409]);
      return values[statuses.indexOf(200)]!;
    }

    for (const [kind, field, first, second, third] of CHANGES)
      it(`409 if ${field} of a ${kind.toLowerCase()} is not as the caller saw it, with the author, and nothing changes`, async () => {
        const creator = await Creator.of(app);
        const { path, named, read } = await makeThing(kind, creator);
        const { call } = await signIn(app, { secret: ADMIN_SECRET, name: 'Ada' });
        await mustSucceed(call(path, { ...named, [field]: second, [was(field)]: first }));
        const present = await read();
        assert.equal(present[field], second);
        const late = { ...named, [field]: third, [was(field)]: first };
        const answer = await app.admin(path, late);
        const text = (author: string) =>
          `${kind} was changed meanwhile by ${author}: ${field} from ${first ?? 'none'} to ${second}`;
        assert.deepEqual([answer.status, answer.body], [409, { success: false, error: text('admin (Ada)') }]);
        assert.equal(answer.headers['latchkey-code'], 'changed_meanwhile');
        assert.equal(await errorOf(creator.send(path, late)), text('the operator'));
        assert.deepEqual(await read(), present);
        await mustSucceed(creator.send(path, { ...late, [was(field)]: second }));
        assert.equal((await read())[field], third);
      });

    it('409 if a product has another owner than the caller saw', async () => {
      const [one, other] = [await Creator.of(app), await Creator.of(app)];
      const productId = await one.product();
      await mustSucceed(app.admin('/updateProduct', { productId, creatorId: other.creatorId }));
      const late = { productId, creatorId: 'third', wasCreatorId: one.creatorId };
      assert.equal(
        await errorOf(app.admin('/updateProduct', late)),
        `Product was changed meanwhile by the operator: creatorId from ${one.creatorId} to ${other.creatorId}`,
      );
      await mustSucceed(
        app.admin('/updateProduct', { ...late, creatorId: one.creatorId, wasCreatorId: other.creatorId }),
      );
    });

    it('409 if a code without a product was changed, of the operator and of a creator, with the author', async () => {
      const creator = await Creator.of(app);
      for (const owner of [{}, { creatorId: creator.creatorId }]) {
        const { code } = await mustSucceed(
          app.admin('/createDiscountCode', { code: `Code-${mintUuid()}`, trialDays: 14, ...owner }),
        );
        await mustSucceed(app.admin('/updateDiscountCode', { code, maxUses: 5 }));
        assert.equal(
          await errorOf(app.admin('/updateDiscountCode', { code, maxUses: 9, wasMaxUses: null })),
          'Code was changed meanwhile by the operator: maxUses from none to 5',
        );
      }
    });

    it('409 if a brand was changed since, whatever was changed, and if it was made since', async () => {
      const { creatorId } = await Creator.of(app);
      const send = (fields: object) => app.admin('/updateBrand', { creatorId, ...fields });
      const made = (await mustSucceed(send({ name: 'Shop', wasUpdatedAt: null }))).brand;
      const again = await send({ name: 'Other', wasUpdatedAt: null });
      const text = (from: string, to: string) =>
        `Brand was changed meanwhile by the operator: updatedAt from ${from} to ${to}`;
      assert.deepEqual([again.status, again.body.error], [409, text('none', made.updatedAt)]);
      app.clock.move(1000);
      const changed = (await mustSucceed(send({ accent: '#1a5fb4', wasUpdatedAt: made.updatedAt }))).brand;
      assert.equal(
        await errorOf(send({ name: 'Other', wasUpdatedAt: made.updatedAt })),
        text(made.updatedAt, changed.updatedAt),
      );
      const { brand } = await mustSucceed(app.admin('/getBrand', { creatorId }));
      assert.deepEqual([brand.name, brand.accent], ['Shop', '#1a5fb4']);
    });

    for (const kind of ['Product', 'Variant', 'Code'])
      it(`lets one of many changes of a ${kind.toLowerCase()} through that saw the same value`, async () => {
        const { path, named, read } = await makeThing(kind, await Creator.of(app));
        const [field, first, values] =
          kind === 'Product'
            ? (['name', 'First', NAMES] as const)
            : ([kind === 'Code' ? 'maxUses' : 'price', null, [1, 2, 3, 4, 5]] as const);
        const change = (value: string | number) => app.admin(path, { ...named, [field]: value, [was(field)]: first });
        assert.equal(await onlyOne<string | number>(values, change), (await read())[field]);
      });

    it('lets one of many changes of a brand through that saw the same one', async () => {
      const { creatorId } = await Creator.of(app);
      const { updatedAt } = (await mustSucceed(app.admin('/updateBrand', { creatorId, name: 'Shop' }))).brand;
      app.clock.move(1000);
      await onlyOne(NAMES, (name) => app.admin('/updateBrand', { creatorId, name, wasUpdatedAt: updatedAt }));
    });

    it('lets one of many first brands through that saw none', async () => {
      const { creatorId } = await Creator.of(app);
      const first = (name: string) => app.admin('/updateBrand', { creatorId, name, wasUpdatedAt: null });
      const made = await onlyOne(NAMES, first);
      const { brand } = await mustSucceed(app.admin('/getBrand', { creatorId }));
      assert.equal(brand.name, made);
    });

    it('keeps the fields of many first changes of a brand, each of which changes the brand that the one before made', async () => {
      const { creatorId } = await Creator.of(app);
      await fillPool(app);
      const fields = { supportAddress: 'help@example.com', supportUrl: 'https://example.com/help', accent: '#1a5fb4' };
      await Promise.all(
        Object.entries(fields).map(([field, value]) =>
          mustSucceed(app.admin('/updateBrand', { creatorId, name: 'Shop', [field]: value })),
        ),
      );
      const { brand } = await mustSucceed(app.admin('/getBrand', { creatorId }));
      assert.deepEqual(
        Object.keys(fields).map((field) => brand[field]),
        Object.values(fields),
      );
      const { events } = await mustSucceed(app.admin('/listEvents', { types: ['brand.updated'] }));
      const own = events.filter((event: { subject: string }) => event.subject === creatorId);
      assert.deepEqual(
        own.map(({ before }: { before: object | null }) => before === null),
        [false, false, true],
      );
    });

    it('409 if a destination was changed, paused, resumed or got another secret since, with the author', async () => {
      const creator = await Creator.of(app);
      const { call } = await signIn(app, { secret: ADMIN_SECRET, name: 'Ada' });
      for (const owner of [null, creator.creatorId]) {
        const { destinationId, destination } = await mustSucceed(
          app.admin('/createDestination', { url: URL, types: ['*'], ...(owner === null ? {} : { creatorId: owner }) }),
        );
        let seen: string = destination.updatedAt;
        const text = (author: string, from: string, to: string) =>
          `Destination was changed meanwhile by ${author}: updatedAt from ${from} to ${to}`;
        for (const [path, fields] of [
          ['/updateDestination', { url: `${URL}/other` }],
          ['/pauseDestination', {}],
          ['/resumeDestination', {}],
          ['/rotateDestinationSecret', { overlapHours: 0 }],
        ] as const) {
          app.clock.move(1000);
          // A rotation changes a destination however the caller saw it.
          const was = path === '/rotateDestinationSecret' ? {} : { wasUpdatedAt: seen };
          await mustSucceed(call(path, { destinationId, ...fields, ...was }));
          const present = (await mustSucceed(app.admin('/getDestination', { destinationId }))).destination;
          for (const [late, more] of [
            ['/updateDestination', { types: ['license.*'] }],
            ['/pauseDestination', {}],
            ['/resumeDestination', { from: 'now' }],
          ] as const) {
            const answer = await app.admin(late, { destinationId, ...more, wasUpdatedAt: seen });
            assert.deepEqual([answer.status, answer.body.error], [409, text('admin (Ada)', seen, present.updatedAt)]);
            assert.ok(!JSON.stringify(answer.body).includes('secret-path'));
          }
          const after = (await mustSucceed(app.admin('/getDestination', { destinationId }))).destination;
          assert.deepEqual([after.types, after.state], [['*'], present.state]);
          if (owner !== null)
            assert.equal(
              await errorOf(creator.send('/pauseDestination', { destinationId, wasUpdatedAt: seen })),
              text('the operator', seen, present.updatedAt),
            );
          seen = present.updatedAt;
        }
        await mustSucceed(app.admin('/deleteDestination', { destinationId }));
      }
    });

    it('409 if a reply template was changed since, for a change and for a deletion, with the author', async () => {
      const creator = await Creator.of(app);
      const { call } = await signIn(app, { secret: ADMIN_SECRET, name: 'Ada' });
      const { template } = await mustSucceed(creator.send('/saveReplyTemplate', { name: 'First', text: 'Hello' }));
      const { templateId, updatedAt: first } = template;
      app.clock.move(1000);
      const change = { templateId, name: 'Second', text: 'Hello', wasUpdatedAt: first };
      const second = (await mustSucceed(call('/saveReplyTemplate', change))).template;
      const text = (author: string, from: string) =>
        `Reply template was changed meanwhile by ${author}: updatedAt from ${from} to ${second.updatedAt}`;
      for (const was of [first, null]) {
        const late = { ...change, name: 'Third', wasUpdatedAt: was };
        assert.equal(await errorOf(app.admin('/saveReplyTemplate', late)), text('admin (Ada)', was ?? 'none'));
        assert.equal(await errorOf(creator.send('/saveReplyTemplate', late)), text('the operator', was ?? 'none'));
      }
      const deletion = { templateId, wasUpdatedAt: first };
      assert.equal(await errorOf(creator.send('/deleteReplyTemplate', deletion)), text('the operator', first));
      assert.deepEqual((await mustSucceed(creator.send('/listReplyTemplates'))).templates, [second]);
      await mustSucceed(creator.send('/deleteReplyTemplate', { templateId, wasUpdatedAt: second.updatedAt }));
    });

    it('lets one of many changes of a destination and of a reply template through that saw the same one', async () => {
      const { destinationId, destination } = await mustSucceed(
        app.admin('/createDestination', { url: URL, types: ['*'] }),
      );
      const { template } = await mustSucceed(app.admin('/saveReplyTemplate', { name: 'First', text: 'Hello' }));
      const { templateId } = template;
      app.clock.move(1000);
      const seen = { destinationId, wasUpdatedAt: destination.updatedAt };
      const rates = [1, 2, 3, 4, 5];
      await onlyOne(rates, (requestsPerSecond) => app.admin('/updateDestination', { ...seen, requestsPerSecond }));
      const read = { templateId, text: 'Hello', wasUpdatedAt: template.updatedAt };
      await onlyOne(NAMES, (name) => app.admin('/saveReplyTemplate', { ...read, name }));
      await mustSucceed(app.admin('/deleteDestination', { destinationId }));
      await mustSucceed(app.admin('/deleteReplyTemplate', { templateId }));
    });

    const eventsOf = async (creator: Creator): Promise<readonly { id: string; requestId: string }[]> =>
      (await mustSucceed(creator.send('/listEvents'))).events;
    const lastEventOf = async (creator: Creator) => (await eventsOf(creator))[0]!.id;
    const lastEventOfLicense = async (licenseKey: string): Promise<string> =>
      (await mustSucceed(app.admin('/listEvents', { licenseKey, limit: 1 }))).events[0].id;

    for (const [kind, field, first, second, another] of [
      ['Product', 'status', 'live', 'unlisted', { name: 'Other' }],
      ['Variant', 'active', true, false, { price: 4900 }],
      ['Code', 'active', true, false, { maxUses: 9 }],
      ['License', 'maxMachines', 2, 4, { variant: 'other' }],
    ] as const)
      it(`409 for an undo of ${field} of a ${kind.toLowerCase()} after later decisions came to the same value`, async () => {
        const creator = await Creator.of(app);
        const productId = await creator.product();
        const licenseKey = await creator.license(productId, { maxMachines: 2 });
        const getLicense = async () => (await inspect(app, licenseKey)).license;
        const { path, named, read } =
          kind === 'License'
            ? { path: '/updateLicense', named: { licenseKey }, read: getLicense }
            : await makeThing(kind, creator);
        const { call } = await signIn(app, { secret: ADMIN_SECRET, name: 'Bea' });
        await mustSucceed(app.admin(path, { ...named, [field]: second }));
        const undoes = await lastEventOf(creator);
        for (const value of [first, second]) await mustSucceed(call(path, { ...named, [field]: value }));
        const latest = await lastEventOf(creator);
        await mustSucceed(app.admin(path, { ...named, ...another }));
        const present = await read();
        assert.equal(present[field], second);
        const undo = { ...named, [field]: first, [was(field)]: second };
        const answer = await app.admin(path, { ...undo, undoes });
        const text = (author: string) =>
          `${kind} was changed meanwhile by ${author}: ${field} from ${first} to ${second}`;
        assert.deepEqual([answer.status, answer.body.error], [409, text('admin (Bea)')]);
        assert.equal(answer.headers['latchkey-code'], 'changed_meanwhile');
        assert.equal(await errorOf(creator.send(path, { ...undo, undoes })), text('the operator'));
        assert.deepEqual(await read(), present);
        // Other fields that were changed since are no reason.
        await mustSucceed(creator.send(path, { ...undo, undoes: latest }));
        assert.equal((await read())[field], first);
      });

    it('409 for an undo of a revocation, a reinstatement or an address after later decisions came to the same one', async () => {
      const licenseKey = await app.license({ email: 'first@example.com' });
      const send = (path: string, fields: object) => app.admin(path, { licenseKey, ...fields });
      const license = async () => (await mustSucceed(send('/getLicense', {}))).license;
      const changes = [
        ['/revokeLicense', {}, '/reinstateLicense', { wasRevocation: 'plain' }, 'revocation from none to plain'],
        ['/reinstateLicense', {}, '/revokeLicense', { wasRevocation: null }, 'revocation from plain to none'],
        [
          ...['/changeEmail', { newEmail: 'second@example.com' }],
          ...['/changeEmail', { newEmail: 'first@example.com', wasEmail: 'second@example.com' }],
          'email from first@example.com to second@example.com',
        ],
      ] as const;
      for (const [path, fields, back, undo, differing] of changes) {
        await mustSucceed(send(path, fields));
        const undoes = await lastEventOfLicense(licenseKey);
        const { wasRevocation: _, wasEmail: __, ...plainly } = { wasRevocation: 0, wasEmail: 0, ...undo };
        await mustSucceed(send(back, plainly));
        await mustSucceed(send(path, fields));
        const present = await license();
        const answer = await send(back, { ...undo, undoes });
        const error = `License was changed meanwhile by the operator: ${differing}`;
        assert.deepEqual([answer.status, answer.body.error], [409, error]);
        assert.deepEqual(await license(), present);
        await mustSucceed(send(back, { ...undo, undoes: await lastEventOfLicense(licenseKey) }));
        await mustSucceed(send(path, fields));
      }
    });

    it('409 for an undo of a change of a code that was deleted since and made again', async () => {
      const code = `Code-${mintUuid()}`;
      const creator = await Creator.of(app);
      const { creatorId } = creator;
      await mustSucceed(app.admin('/createDiscountCode', { code, trialDays: 14, creatorId }));
      await mustSucceed(app.admin('/updateDiscountCode', { code, maxUses: 9 }));
      const undoes = await lastEventOf(creator);
      await mustSucceed(app.admin('/deleteDiscountCode', { code }));
      await mustSucceed(app.admin('/createDiscountCode', { code, trialDays: 14, maxUses: 9, creatorId }));
      assert.equal(
        await errorOf(app.admin('/updateDiscountCode', { code, maxUses: null, wasMaxUses: 9, undoes })),
        'Code was changed meanwhile by the operator: maxUses from none to 9',
      );
    });

    it('names the author of a change among the last hundred events of the license, and nobody for an earlier one', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      const { call } = await signIn(app, { secret: ADMIN_SECRET, name: 'Ada' });
      await mustSucceed(call('/updateLicense', { licenseKey, maxMachines: 4 }));
      const later = (number: number) => mustSucceed(app.admin('/updateLicense', { licenseKey, variant: `v${number}` }));
      for (let number = 1; number < 100; number++) await later(number);
      const late = () => errorOf(app.admin('/updateLicense', { licenseKey, maxMachines: 3, wasMaxMachines: 2 }));
      const text = (author: string) => `License was changed meanwhile by ${author}: maxMachines from 2 to 4`;
      assert.equal(await late(), text('admin (Ada)'));
      await later(100);
      assert.equal(await late(), text('somebody else'));
    });

    it('finds the undone event before two hundred later ones of other fields', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 4 }));
      const undoes = await lastEventOfLicense(licenseKey);
      for (let number = 0; number < 210; number++)
        await mustSucceed(app.admin('/updateLicense', { licenseKey, variant: `v${number}` }));
      const undo = { licenseKey, maxMachines: 2, wasMaxMachines: 4, undoes };
      const { license } = await mustSucceed(app.admin('/updateLicense', undo));
      assert.equal(license.maxMachines, 2);
    });

    it('400 for an undo of what is no event of the thing, and changes nothing', async () => {
      const [licenseKey, other] = [await app.license({ maxMachines: 2 }), await app.license()];
      const creator = await Creator.of(app);
      const { path, named } = await makeThing('Variant', creator);
      const strange = [await lastEventOfLicense(other), `evt_${mintUuid()}`, 'evt', 'x'.repeat(255)];
      for (const undoes of strange) {
        const change = { licenseKey, maxMachines: 3, wasMaxMachines: 2, undoes };
        const { status, body } = await app.admin('/updateLicense', change);
        assert.deepEqual([status, body.error], [400, 'undoes must be the id of a recent event of this license']);
        const error = 'undoes must be the id of a recent event of this variant';
        assert.equal(await errorOf(creator.send(path, { ...named, price: 1, wasPrice: null, undoes })), error);
      }
      assert.equal((await inspect(app, licenseKey)).license.maxMachines, 2);
      const { status, body } = await app.admin('/changeEmail', {
        ...{ email: 'ada@example.com', newEmail: 'bea@example.com', undoes: strange[0] },
      });
      assert.deepEqual([status, body.error], [400, 'undoes belongs to licenseKey']);
    });

    for (const kind of ['License', 'Code'])
      it(`lets no undo through among many changes of a ${kind.toLowerCase()} unless it comes first`, async () => {
        const creator = await Creator.of(app);
        const { path, named } =
          kind === 'Code'
            ? await makeThing('Code', creator)
            : { path: '/updateLicense', named: { licenseKey: await creator.license(await creator.product()) } };
        const field = kind === 'Code' ? 'maxUses' : 'maxMachines';
        await mustSucceed(app.admin(path, { ...named, [field]: 2 }));
        await mustSucceed(app.admin(path, { ...named, [field]: 4 }));
        const undoes = await lastEventOf(creator);
        const from = (value: number, to: number, more = {}) => ({
          ...named,
          [field]: to,
          [was(field)]: value,
          ...more,
        });
        await fillPool(app);
        const answers = await Promise.all(
          Array.from({ length: 18 }, (_, number) =>
            app.admin(path, [from(4, 2), from(2, 4), from(4, 2, { undoes })][number % 3]!),
          ),
        );
        const undone = answers.filter(({ status }, number) => status === 200 && number % 3 === 2);
        const { id, requestId } = (await eventsOf(creator)).toReversed().find((event) => event.id > undoes)!;
        assert.ok(undone.length <= 1, `${undone.length} undos of ${id}`);
        for (const { headers } of undone) assert.equal(headers['x-request-id'], requestId);
      });

    it('lets one of many revocations through that saw an active license', async () => {
      const licenseKey = await app.license();
      const reasons = ['fraud', 'refund', 'fraud', 'refund', 'fraud'];
      await onlyOne(reasons, (reason) => app.admin('/revokeLicense', { licenseKey, reason, wasRevocation: null }));
      const { violations } = await inspect(app, licenseKey);
      assert.equal(violations.length, 1);
    });
  });
