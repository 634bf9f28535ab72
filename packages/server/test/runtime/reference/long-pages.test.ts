/** Pages of lists are bounded in bytes; for the lists of the specification, the length of their names suffices. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { endpointsByPath } from '../../../src/app.ts';
import { countThatFits } from '../../../src/ground/base/page-room.ts';
import { NO_VARIANT_TERMS } from '../../../src/licensing/products/terms.ts';
import type { Event } from '../../../src/platform/events/event.ts';
import { eventAt, insertAll } from '../../platform/events/events-of-rows.ts';
import { startApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedWithStorage } from '../../support/started-app.ts';

const MIB = 1024 ** 2;
/**
 * A page ends with the first entry that does not fit. The text around its entries, and letters beyond ASCII, are not
 * counted.
 */
const MAX_BYTES = 1.2 * MIB;
/** A page of 1000 entries whose names are as long as they may be. Usual names make pages of 200 KB. */
const LONGEST_BYTES = 8 * MIB;
/** The lists of the specification, and the field of the reply that holds their entries. */
const SPECIFIED = {
  '/listLicenses': 'licenses',
  '/listProducts': 'products',
  '/listVariants': 'variants',
  '/listDiscountCodes': 'codes',
  '/listApiKeys': 'keys',
  '/listStudioOrders': 'orders',
} as const;

for (const engine of engines)
  describe(`a page of a list on ${engine}`, { timeout: 240_000 }, () => {
    const { app, storage } = startedWithStorage(engine);

    /** Every entry of a list with the largest limit, and the number of pages. */
    async function all(path: string, fields: object, entries: string, names = ['cursor', 'nextCursor'] as const) {
      const [cursorField, nextField] = names;
      const ids: string[] = [];
      let pages = 0;
      for (let cursor: string | undefined; ; pages += 1) {
        const asked = { ...fields, ...(cursor === undefined ? {} : { [cursorField]: cursor }) };
        const body = await mustSucceed(app.admin(path, asked));
        const bytes = Buffer.byteLength(JSON.stringify(body));
        assert.ok(bytes <= MAX_BYTES, `${path} answered ${bytes} bytes`);
        assert.ok(body[entries].length > 0);
        ids.push(...body[entries].map((each: { id?: string; event?: { id: string } }) => each.id ?? each.event?.id));
        cursor = body[nextField];
        if (cursor === undefined) return { ids, pages: pages + 1 };
      }
    }

    it('ends at about 1 MiB, and the pages together hold every entry once', async () => {
      const now = app.clock.now();
      const licenseKey = await app.license({ maxMachines: 5 });
      await new Machine(app, licenseKey).activated();
      const known: Event[] = [];
      // Longer than a page, as the first entry and as a later one.
      for (const [index, length] of [2 * MIB, ...Array(99).fill(20_000), 1.05 * MIB].entries())
        known.push(
          eventAt(now - 1_000 * (index + 1), { type: 'product.updated', after: { text: 'x'.repeat(length) } }),
        );
      const inOrder = known
        .toSorted((one, other) => (one.eventId < other.eventId ? 1 : -1))
        .map(({ eventId }) => eventId);
      const long = new Set(inOrder.slice(0, 1).concat(inOrder.slice(-1)));
      const usual = known.filter(({ eventId }) => !long.has(eventId));
      await insertAll(storage, usual);
      const until = app.clock.at(0);
      const { ids, pages } = await all('/listEvents', { types: ['product.updated'], until, limit: 1000 }, 'events');
      assert.deepEqual(ids, inOrder.slice(1, -1));
      assert.equal(pages, 2);
      await insertAll(
        storage,
        known.filter(({ eventId }) => long.has(eventId)),
      );
      const first = await mustSucceed(app.admin('/listEvents', { types: ['product.updated'], until, limit: 1000 }));
      assert.deepEqual([first.count, first.events[0].id], [1, inOrder[0]], 'an entry that is too long for any page');
    });

    it('of the history of a license, and of its events, ends at about 1 MiB', async () => {
      const licenseKey = await app.license();
      const note = 'x'.repeat(2000);
      for (let round = 0; round < 20; round += 1)
        await Promise.all(
          Array.from({ length: 32 }, () => mustSucceed(app.admin('/addNote', { licenseKey, text: note }))),
        );
      const events = await all('/listEvents', { licenseKey, limit: 1000 }, 'events');
      assert.deepEqual([new Set(events.ids).size, events.ids.length, events.pages], [641, 641, 2]);
      const history = await all('/getLicense', { licenseKey, history: true, historyLimit: 1000 }, 'history', [
        'historyCursor',
        'nextHistoryCursor',
      ] as never);
      assert.deepEqual(history, events);
    });

    it('of live sessions ends at about 1 MiB', async () => {
      const productId = 'floats';
      const licenseType = 'floating';
      const sessions = 100;
      for (let pool = 0; pool < 16; pool += 1) {
        const licenseKey = await app.license({ productId, licenseType, maxMachines: 200, maxConcurrent: 200 });
        for (let from = 0; from < sessions; from += 10) {
          await mustSucceed(app.admin('/liftActivationLimit', { licenseKey }));
          await Promise.all(
            Array.from({ length: 10 }, (_, at) =>
              mustSucceed(
                app.send('/activate', {
                  ...{ licenseKey, productId, hostname: 'h'.repeat(255) },
                  machineFingerprint: `${from + at}`.padEnd(512, 'f'),
                }),
              ),
            ),
          );
        }
      }
      const keys: string[] = [];
      let pages = 0;
      for (let cursor: string | undefined; ; ) {
        const asked = { productId, limit: 100, sessionLimit: 100, ...(cursor === undefined ? {} : { cursor }) };
        const body = await mustSucceed(app.admin('/listLiveSessions', asked));
        assert.ok(Buffer.byteLength(JSON.stringify(body)) <= MAX_BYTES);
        keys.push(...body.pools.map((pool: { licenseKey: string }) => pool.licenseKey));
        pages += 1;
        cursor = body.nextCursor;
        if (cursor === undefined) break;
      }
      assert.deepEqual([keys.length, new Set(keys).size, pages], [16, 16, 2]);
    });

    it('of a search for studio orders ends at about 1 MiB, also where JSON writes a letter as six', async () => {
      const name = '\u0001'.repeat(255);
      const order = { seatCount: 2, pricePerSeat: 1, totalAmount: 2, currency: 'usd', buyerEmail: 'ada@example.com' };
      const names = { buyerUserId: name, courseId: name, courseSlug: name, creatorId: name, courseTitle: name };
      const ORDERS = 200;
      for (let from = 0; from < ORDERS; from += 20)
        await Promise.all(
          Array.from({ length: 20 }, () => mustSucceed(app.webhook('/createStudioOrder', { ...order, ...names }))),
        );
      const ids: string[] = [];
      const lengths: number[] = [];
      for (let cursor: string | undefined; ; ) {
        const asked = { creatorId: name, limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
        const body = await mustSucceed(app.admin('/searchStudioOrders', asked));
        lengths.push(Buffer.byteLength(JSON.stringify(body)));
        ids.push(...body.orders.map(({ id }: { id: string }) => id));
        cursor = body.nextCursor;
        if (cursor === undefined) break;
      }
      assert.deepEqual([ids.length, new Set(ids).size, lengths.length], [ORDERS, ORDERS, 2]);
      assert.ok(Math.max(...lengths) <= MAX_BYTES, `${lengths} bytes`);
    });

    it('of the specification is never shorter than its limit, however long the names', async () => {
      // Letters of two bytes, and control characters that JSON writes as six characters each.
      const name = (index: number, length: number) => `${index}-`.padEnd(length, 'ä\u0001');
      const orders = Array.from({ length: 1000 }, (_, index) => ({
        ...{ productId: name(0, 255), variant: name(0, 255), email: `${'ä'.repeat(250)}${index}@shop.example` },
      }));
      for (let from = 0; from < orders.length; from += 50)
        await Promise.all(orders.slice(from, from + 50).map((order) => app.license(order)));
      const { licenses, count, nextCursor } = await mustSucceed(
        app.admin('/listLicenses', { productId: name(0, 255), limit: 1000 }),
      );
      assert.deepEqual([licenses.length, count, nextCursor], [1000, 1000, undefined]);
    });
  });

describe('the entries of a page', () => {
  it('fill 1 MiB and no byte more, where each text counts as its JSON and two bytes', () => {
    const texts = Array<string>(1024).fill('x'.repeat(1020));
    assert.equal(countThatFits([...texts, ''], 2000), 1024);
    assert.equal(countThatFits([...texts.slice(1), 'x'.repeat(1021)], 2000), 1023);
  });

  it('fill 1 MiB where they are numbers of eight digits', () => {
    const entry = { at: 12_345_678 };
    const bytes = `${JSON.stringify(entry)},`.length;
    assert.equal(countThatFits(Array(MIB).fill(entry), MIB), MIB / bytes);
  });
});

describe('a list of the specification', () => {
  it('takes at most 8 MiB, however long the names', async (test) => {
    const app = await startApp('sqlite');
    test.after(() => app.stop());
    /** A name that takes as many bytes as one can: JSON writes each of these characters as six. */
    const long = (length: number) => '\u0001'.repeat(length);
    const name = long(255);
    const creatorId = name;
    const slug = 's'.repeat(255);
    const email = `${'e'.repeat(300)}@shop.example`;
    await mustSucceed(app.admin('/createProduct', { creatorId, slug, name }));
    await mustSucceed(app.admin('/createVariant', { productId: slug, name, price: 1e-7 }));
    await mustSucceed(
      app.admin('/createLicense', { productId: name, variant: name, email: `${'ä'.repeat(300)}@shop.example` }),
    );
    await mustSucceed(
      app.admin('/createDiscountCode', { creatorId, code: 'ä'.repeat(100), trialDays: 14, expiresAt: app.clock.at(1) }),
    );
    await mustSucceed(app.admin('/createApiKey', { creatorId, name }));
    const order = { seatCount: 2, pricePerSeat: 1, totalAmount: 2, currency: 'usd', buyerEmail: email };
    const names = { buyerUserId: name, courseId: name, courseSlug: name, creatorId, courseTitle: long(1000) };
    await mustSucceed(app.webhook('/createStudioOrder', { ...order, ...names }));
    for (const [path, entries] of Object.entries(SPECIFIED)) {
      const fields = path === '/listStudioOrders' ? { creatorId } : path === '/listVariants' ? { productId: slug } : {};
      const send = path === '/listStudioOrders' ? app.webhook : app.admin;
      const body = await mustSucceed(send(path, { ...fields, ...(path === '/listLicenses' ? { detail: true } : {}) }));
      assert.equal(body[entries].length, 1, path);
      const bytes = 1000 * Buffer.byteLength(JSON.stringify(body[entries][0]));
      assert.ok(bytes <= LONGEST_BYTES, `${path}: 1000 entries have ${bytes} bytes`);
    }
  });

  it('shows names and numbers alone, which 1000 entries have room for', () => {
    for (const [path, entries] of Object.entries(SPECIFIED)) {
      const reply = endpointsByPath.get(path as `/${string}`)?.reply as unknown as {
        properties: Record<string, { items: { properties: Record<string, TSchema> } }>;
      };
      const properties = Object.fromEntries(
        // The further terms of a variant are few, and most variants have none.
        Object.entries(reply.properties[entries]!.items.properties).filter(([name]) => !(name in NO_VARIANT_TERMS)),
      );
      for (const [field, schema] of Object.entries(properties)) assert.ok(isScalar(schema), `${path} ${field}`);
      assert.ok(Object.keys(properties).length <= 13, path);
    }
  });
});

function isScalar(schema: TSchema): boolean {
  const { anyOf, type } = schema as { anyOf?: TSchema[]; type?: string };
  return anyOf === undefined
    ? ['string', 'number', 'integer', 'boolean', 'null'].includes(type ?? '')
    : anyOf.every(isScalar);
}
