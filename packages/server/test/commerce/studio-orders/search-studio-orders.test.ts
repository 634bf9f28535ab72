import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintId } from '../../../src/ground/base/random.ts';
import { assertRefused } from '../../support/answers.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';

interface Ordered {
  readonly studioOrderId: string;
  readonly code: string;
}

for (const engine of engines)
  describe(`/searchStudioOrders on ${engine}`, () => {
    const app = startedApp(engine);

    async function order(fields: Readonly<Record<string, unknown>>): Promise<Ordered> {
      const { studioOrderId, seats } = await mustSucceed(
        app.webhook('/createStudioOrder', {
          buyerEmail: 'head@school.example',
          buyerUserId: 'user-7',
          courseId: 'course-12',
          courseSlug: 'watercolour',
          courseTitle: 'Watercolour for beginners',
          creatorId: 'studio-north',
          seatCount: 2,
          pricePerSeat: 4900,
          totalAmount: 9800,
          currency: 'eur',
          ...fields,
        }),
      );
      app.clock.move(1);
      return { studioOrderId, code: seats[1].code };
    }

    async function idsOf(fields: Readonly<Record<string, unknown>>, send = app.admin): Promise<string[]> {
      return (await pagesOf(send, '/searchStudioOrders', fields, 'orders')).flat().map(({ id }) => id);
    }

    it('answers a summary of each order with creator, buyer and course', async () => {
      const buyerEmail = `${mintId()}@school.example`;
      const createdAt = app.clock.at();
      const { studioOrderId: id } = await order({ buyerEmail });
      assert.deepEqual(await mustSucceed(app.admin('/searchStudioOrders', { buyerEmail })), {
        success: true,
        orders: [
          {
            id,
            courseSlug: 'watercolour',
            courseTitle: 'Watercolour for beginners',
            seatCount: 2,
            redeemedCount: 0,
            totalAmount: 9800,
            status: 'active',
            createdAt,
            creatorId: 'studio-north',
            buyerEmail,
            courseId: 'course-12',
          },
        ],
        count: 1,
      });
    });

    it('finds by seat code, buyer, course and creator, alone and together, newest first', async () => {
      const [creatorId, courseId, buyerEmail] = [mintId(), mintId(), `Head.${mintId()}@School.example`];
      const one = await order({ creatorId, courseId, buyerEmail });
      const two = await order({ creatorId, courseId });
      const three = await order({ creatorId, buyerEmail });
      const four = await order({ courseId, buyerEmail });
      const ids = (orders: readonly Ordered[]) => orders.map(({ studioOrderId }) => studioOrderId);
      assert.deepEqual(await idsOf({ creatorId }), ids([three, two, one]));
      assert.deepEqual(await idsOf({ courseId }), ids([four, two, one]));
      assert.deepEqual(await idsOf({ buyerEmail: ` ${buyerEmail.toUpperCase()} ` }), ids([four, three, one]));
      assert.deepEqual(await idsOf({ creatorId, courseId }), ids([two, one]));
      assert.deepEqual(await idsOf({ creatorId, buyerEmail }), ids([three, one]));
      assert.deepEqual(await idsOf({ courseId, buyerEmail }), ids([four, one]));
      assert.deepEqual(await idsOf({ creatorId, courseId, buyerEmail }), ids([one]));
      assert.deepEqual(await idsOf({ code: ` ${two.code.toLowerCase()} ` }), ids([two]));
      assert.deepEqual(await idsOf({ code: two.code, creatorId, courseId }), ids([two]));
      assert.deepEqual(await idsOf({ code: two.code, buyerEmail }), []);
      assert.deepEqual(await idsOf({ code: two.code, courseId: mintId() }), []);
      assert.deepEqual(await idsOf({ code: 'STUDIO-AAAA-AAAA' }), []);
      assert.deepEqual(await idsOf({ creatorId, limit: 1 }), ids([three, two, one]));
      assert.deepEqual(await idsOf({ buyerEmail, limit: 1 }), ids([four, three, one]));
    });

    it('finds those made between two times, both included, with every filter and in pages of any size', async () => {
      const [creatorId, courseId, buyerEmail] = [mintId(), mintId(), `${mintId()}@school.example`];
      const made: (Ordered & { readonly at: string })[] = [];
      for (let day = 0; day < 6; day += 1) {
        const at = app.clock.at();
        made.push({ ...(await order({ creatorId, courseId, buyerEmail })), at });
        app.clock.move(DAY_MS);
      }
      const [first, second, third, fourth] = made as [(typeof made)[0], ...typeof made];
      const range = { createdFrom: second!.at, createdTo: fourth!.at };
      const ids = (orders: readonly (Ordered | undefined)[]) => orders.map((each) => each!.studioOrderId);
      for (const limit of [1, 2, 1000])
        for (const fields of [
          { creatorId },
          { courseId },
          { buyerEmail },
          { creatorId, courseId },
          { creatorId, buyerEmail },
        ])
          assert.deepEqual(
            await idsOf({ ...fields, ...range, limit }),
            ids([fourth, third, second]),
            JSON.stringify(fields),
          );
      assert.deepEqual(await idsOf({ courseId, createdTo: first.at.slice(0, 10) }), ids([first]));
      assert.deepEqual(await idsOf({ courseId, createdFrom: made.at(-2)!.at }), ids(made.slice(-2).toReversed()));
      assert.deepEqual(await idsOf({ code: third!.code, ...range }), ids([third]));
      for (const { code } of [first, made.at(-1)!]) assert.deepEqual(await idsOf({ code, ...range }), []);
      const { nextCursor: cursor } = await mustSucceed(app.admin('/searchStudioOrders', { courseId, limit: 1 }));
      assert.deepEqual(await idsOf({ courseId, createdTo: second!.at, cursor }), ids([second, first]));
    });

    it('finds with an API key the orders of its creator, with any creatorId', async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const [courseId, buyerEmail] = [mintId(), `${mintId()}@school.example`];
      const own = await order({ creatorId: creator.creatorId, courseId, buyerEmail });
      const foreign = await order({ creatorId: stranger.creatorId, courseId, buyerEmail });
      const mine = creator.send;
      for (const fields of [{}, { courseId }, { buyerEmail }, { creatorId: stranger.creatorId }, { code: own.code }])
        assert.deepEqual(await idsOf(fields, mine), [own.studioOrderId], JSON.stringify(fields));
      assert.deepEqual(await idsOf({ code: foreign.code }, mine), []);
      assert.deepEqual(await idsOf({ buyerEmail }), [foreign.studioOrderId, own.studioOrderId]);
    });

    it('pages through orders, each once, while others are made', async () => {
      const courseId = mintId();
      const made: string[] = [];
      for (let index = 0; index < 5; index++) made.unshift((await order({ courseId })).studioOrderId);
      const pages = await pagesOf(app.admin, '/searchStudioOrders', { courseId, limit: 2 }, 'orders', () =>
        order({ courseId }),
      );
      assert.deepEqual(
        pages.flat().map(({ id }) => id),
        made,
      );
    });

    it('lists the orders of all creators for adminSecret without a filter, newest first, page by page', async () => {
      const before = await idsOf({});
      const [one, two, three] = [await order({ creatorId: mintId() }), await order({}), await order({})];
      const listed = await idsOf({ limit: 2 });
      assert.deepEqual(listed, [three.studioOrderId, two.studioOrderId, one.studioOrderId, ...before]);
      assert.equal(new Set(listed).size, listed.length);
    });

    it('400 for a cursor that is none', async () => {
      const bogus = await app.admin('/searchStudioOrders', { courseId: 'any', cursor: 'bogus' });
      assert.deepEqual([bogus.status, bogus.body.error], [400, 'cursor is not the nextCursor of an earlier answer']);
    });

    it('401 without a credential, and for the webhook secret', async () => {
      assert.equal((await app.send('/searchStudioOrders', { courseId: 'any' })).status, 401);
      assertRefused(await app.webhook('/searchStudioOrders', { courseId: 'any' }), 401, 'Unauthorized');
    });
  });
