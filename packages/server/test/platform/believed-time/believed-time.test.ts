/** Clocks that are believed: rounds of nodes whose wall clock and monotonic clock the test moves. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { ClockJudge, type ClockState } from '../../../src/platform/believed-time/believed-time.ts';
import { believeClock } from '../../../src/platform/believed-time/rounds.ts';
import { saveRound } from '../../../src/platform/believed-time/store.ts';
import { eventIdBound } from '../../../src/platform/events/event.ts';
import type { AnyStatement, Sql, Storage, Value } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const TRUE_START = systemClock();
const YEARS = 730 * DAY_MS;

/** The true time, which passes for all, and the error of the database server's clock. */
class World {
  passedMs = 0;
  serverOffset = 0;
  /** The time that the answer of the database server takes on its way. */
  answerMs = 0;
  readonly now = () => TRUE_START + this.passedMs;
  pass(ms: number): void {
    this.passedMs += ms;
  }
}

/** A process with its clock; `offset` is the clock's error. */
class Node {
  offset = 0;
  state: ClockState | undefined;
  readonly judge: ClockJudge;
  readonly #world: World;
  readonly #storage: Storage;

  constructor(world: World, storage: Storage, offset = 0) {
    this.#world = world;
    this.#storage = storage;
    this.offset = offset;
    // Its monotonic clock begins at an arbitrary value, and advances as true time does.
    const begin = world.passedMs - 12_345;
    this.judge = new ClockJudge(this.wall, () => world.passedMs - begin, storage.engine === 'postgres');
  }

  readonly wall = () => this.#world.now() + this.offset;

  async round(): Promise<ClockState> {
    this.state = await this.judge.keepRound(this.#storage);
    return this.state;
  }

  /** Runs for this long, with a round every minute, or less often where only the length matters. */
  async run(ms: number, everyMs = MINUTE_MS): Promise<void> {
    for (let passed = 0; passed < ms; passed += everyMs) {
      this.#world.pass(everyMs);
      await this.round();
    }
  }
}

/** The storage with a database server whose clock the test moves. */
function withServerClock(storage: Storage, world: World): Storage {
  const first = async <Row>(sql: Sql, statement: AnyStatement, values: Value[]): Promise<Row | undefined> => {
    if (statement.name !== 'database.own_moment' || storage.engine === 'sqlite')
      return sql.first<Row>(statement as never, ...values);
    const moment = toTimestamp(world.now() + world.serverOffset);
    world.pass(world.answerMs);
    return { moment } as Row;
  };
  return {
    engine: storage.engine,
    read: (work) =>
      storage.read((sql) =>
        work({ all: (...asked) => sql.all(...asked), first: (each, ...values) => first(sql, each, values) }),
      ),
    transaction: (work) =>
      storage.transaction((tx) =>
        work({
          all: (statement, ...values) => tx.all(statement, ...values),
          first: (statement, ...values) => first(tx, statement, values),
          run: (statement, ...values) => tx.run(statement, ...values),
          runLast: (statement, ...values) => tx.runLast(statement, ...values),
          publish: (topic, message) => tx.publish(topic, message),
          afterwards: (effect) => tx.afterwards(effect),
        }),
      ),
    onCommitted: (listener) => storage.onCommitted(listener),
    onAvailability: (listener) => storage.onAvailability(listener),
    close: () => storage.close(),
  };
}

for (const engine of engines)
  describe(`a clock on ${engine}`, () => {
    let fresh: TestDatabase;
    let storage: Storage;
    let world: World;
    const opened: { fresh: TestDatabase; storage: Storage }[] = [];
    beforeEach(async () => {
      fresh = await freshDatabase(engine);
      world = new World();
      const real = await openStorage(fresh.database, { poolSize: 2 });
      opened.push({ fresh, storage: real });
      storage = withServerClock(real, world);
    });
    after(async () => {
      for (const each of opened) {
        await each.storage.close();
        await each.fresh.remove();
      }
    });
    const node = (offset = 0) => new Node(world, storage, offset);
    const storedRound = async () =>
      fromTimestamp(String((await rowOf(fresh.database, 'select at from believed_round'))?.at));

    it('sets the base of a new database, and is believed', async () => {
      const one = node();
      assert.equal((await one.round()).doubt, null);
      assert.equal(await storedRound(), TRUE_START);
      assert.equal(one.judge.believableNow(), TRUE_START);
    });

    it('sets no base that lies before the service was written, and sets it once it is right', async () => {
      const one = node(Date.UTC(1970, 0, 1) - TRUE_START);
      assert.notEqual((await one.round()).doubt, null);
      assert.equal(one.judge.believableNow(), null);
      one.offset = 0;
      assert.equal((await one.round()).doubt, null);
    });

    it('is not believed while it is years ahead for minutes, and the time goes on evenly meanwhile', async () => {
      const one = node();
      await one.run(10 * MINUTE_MS);
      one.offset = YEARS;
      assert.equal(one.judge.believableNow(), null, 'between two rounds');
      await one.run(5 * MINUTE_MS);
      assert.equal(one.state?.doubt, 'ahead');
      assert.equal(one.judge.believableNow(), null);
      assert.equal(one.judge.steadyNow(), world.now());
      assert.equal(one.judge.sessionNow(one.wall()), world.now());
      assert.equal(await storedRound(), world.now());
      one.offset = 0;
      await one.run(MINUTE_MS);
      assert.equal(one.state?.doubt, null);
      assert.equal(one.judge.believableNow(), world.now());
      assert.equal(one.judge.sessionNow(one.wall()), world.now());
    });

    it('is not believed while it is years behind, so rows in its future are not removed', async () => {
      const one = node();
      await one.run(2 * MINUTE_MS);
      one.offset = -YEARS;
      await one.run(2 * MINUTE_MS);
      assert.equal(one.state?.doubt, 'behind');
      assert.equal(one.judge.believableNow(), null);
      assert.equal(one.judge.sessionNow(one.wall()), world.now());
    });

    it('is believed again at once after a stop of some hours', async () => {
      await node().run(3 * MINUTE_MS);
      world.pass(20 * HOUR_MS);
      const next = node();
      assert.equal((await next.round()).doubt, null);
      assert.equal(next.judge.believableNow(), world.now());
    });

    it('is believed after a stop of a month once it has gone on evenly for 24 hours', async () => {
      await node().run(3 * MINUTE_MS);
      world.pass(30 * DAY_MS);
      const next = node();
      const { doubt, believedFrom } = await next.round();
      assert.deepEqual([doubt, believedFrom], ['ahead', toTimestamp(world.now() + DAY_MS)]);
      assert.equal(next.judge.sessionNow(next.wall()), next.wall(), 'sessions end as the clock says');
      await next.run(23 * HOUR_MS, HOUR_MS);
      assert.equal(next.judge.believableNow(), null);
      await next.run(HOUR_MS, HOUR_MS);
      assert.equal(next.state?.doubt, null);
      assert.equal(next.judge.believableNow(), world.now());
    });

    it('restarts the 24 hours with each jump', async () => {
      await node().run(3 * MINUTE_MS);
      world.pass(30 * DAY_MS);
      const next = node();
      await next.round();
      await next.run(20 * HOUR_MS, HOUR_MS);
      next.offset = HOUR_MS;
      await next.round();
      next.offset = 0;
      await next.run(20 * HOUR_MS, HOUR_MS);
      assert.equal(next.judge.believableNow(), null);
      await next.run(5 * HOUR_MS, HOUR_MS);
      assert.equal(next.state?.doubt, null);
    });

    it('does not restart the 24 hours with corrections of a minute in all', async () => {
      await node().run(3 * MINUTE_MS);
      world.pass(30 * DAY_MS);
      const next = node();
      await next.round();
      await next.run(20 * HOUR_MS, HOUR_MS);
      next.offset = MINUTE_MS;
      await next.run(3 * HOUR_MS, HOUR_MS);
      assert.equal(next.judge.believableNow(), null);
      await next.run(HOUR_MS, HOUR_MS);
      assert.equal(next.state?.doubt, null);
    });

    it('is believed at once when an operator says so, while the service runs and before it starts', async () => {
      await node().run(3 * MINUTE_MS);
      world.pass(30 * DAY_MS);
      const next = node();
      await next.run(3 * MINUTE_MS);
      assert.equal(next.state?.doubt, 'ahead');
      await storage.transaction((tx) => saveRound(tx, toTimestamp(next.wall())));
      await next.run(MINUTE_MS);
      assert.equal(next.state?.doubt, null);
      assert.equal(next.judge.believableNow(), world.now());
      assert.equal((await node().round()).doubt, null);
    });

    it('that was believed by mistake is corrected, and is believed again by command or after 24 hours', async () => {
      const one = node(engine === 'sqlite' ? YEARS : 0);
      if (engine === 'postgres') await storage.transaction((tx) => saveRound(tx, toTimestamp(world.now() + YEARS)));
      await one.run(5 * MINUTE_MS);
      one.offset = 0;
      await one.run(5 * MINUTE_MS);
      assert.equal(one.state?.doubt, 'behind');
      assert.equal(one.judge.believableNow(), null);
      await one.run(25 * HOUR_MS, HOUR_MS);
      assert.equal(one.state?.doubt, null);
      assert.equal(await storedRound(), world.now());
    });

    it('gains nothing by many jumps of less than a day, one at each round', async () => {
      const one = node();
      await one.round();
      for (let jump = 1; jump <= 100; jump += 1) {
        one.offset += 23 * HOUR_MS;
        await one.run(MINUTE_MS);
        const believed = one.judge.believableNow();
        assert.ok(believed === null || believed <= world.now(), `jump ${jump}: ${toTimestamp(believed ?? 0)}`);
      }
      assert.equal(await storedRound(), world.now());
    });

    it('never leads to a time ahead of the true one, however it jumps within a day of running', async () => {
      const jump = fc.oneof(
        fc.integer({ min: -2_000, max: 2_000 }).map((days) => days * DAY_MS),
        fc.integer({ min: -30, max: 30 }).map((hours) => hours * HOUR_MS),
        fc.integer({ min: -100_000, max: 100_000 }),
        fc.constant(0),
      );
      const step = fc.record({
        offset: jump,
        passed: fc.integer({ min: 0, max: 20 * MINUTE_MS }),
        hasRound: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
          await execute(fresh.database, 'delete from believed_round');
          world = Object.assign(world, { passedMs: 0 });
          const one = node();
          await one.round();
          for (const { offset, passed, hasRound } of steps) {
            world.pass(passed);
            one.offset = offset;
            if (hasRound) await one.round();
            const believed = one.judge.believableNow();
            // Corrections of a minute are accepted at once.
            const most = world.now() + (steps.length + 1) * MINUTE_MS;
            assert.ok(believed === null || believed <= most, toTimestamp(believed ?? 0));
            const sessionNow = one.judge.sessionNow(one.wall());
            assert.ok(Math.abs(sessionNow - world.now()) <= DAY_MS + 42 * MINUTE_MS, toTimestamp(sessionNow));
          }
        }),
        { numRuns: engine === 'sqlite' ? 60 : 25 },
      );
    });

    it('of an installation that had no rounds is compared with its newest event', async () => {
      await insertEvent(fresh, TRUE_START - 2 * HOUR_MS);
      assert.equal((await node().round()).doubt, null);
      await execute(fresh.database, 'delete from believed_round');
      const wrong = node(YEARS);
      assert.notEqual((await wrong.round()).doubt, null);
      // Records of the node itself prove nothing about the time.
      await insertEvent(fresh, TRUE_START + YEARS);
      await wrong.run(3 * MINUTE_MS);
      assert.equal(wrong.judge.believableNow(), null);
    });

    it('reports each jump against the monotonic clock, but no correction', async () => {
      const one = node();
      await one.run(2 * MINUTE_MS);
      one.offset = 5_000;
      assert.equal((await one.round()).jumpMs, 0);
      one.offset = 5_000 + HOUR_MS;
      assert.equal((await one.round()).jumpMs, HOUR_MS);
      assert.equal((await one.round()).jumpMs, 0);
      one.offset = 0;
      assert.equal((await one.round()).jumpMs, -HOUR_MS - 5_000);
    });

    it('of a thread that only reads is judged by the rounds that are kept, and keeps none', async () => {
      const [keeping, reading] = [node(), node()];
      await reading.judge.followRounds(storage);
      assert.equal(reading.judge.believableNow(), null, 'before the first round');
      await keeping.run(2 * MINUTE_MS);
      const before = await storedRound();
      await reading.judge.followRounds(storage);
      assert.equal(reading.judge.believableNow(), world.now());
      world.pass(MINUTE_MS);
      reading.offset = YEARS;
      await reading.judge.followRounds(storage);
      assert.equal(reading.judge.believableNow(), null);
      assert.equal(reading.judge.sessionNow(reading.wall()), world.now());
      assert.equal(await storedRound(), before);
    });

    if (engine === 'postgres') {
      it('is not believed at the word of an operator while the clock of the server disagrees', async () => {
        await node().round();
        const before = await storedRound();
        world.serverOffset = 10 * MINUTE_MS;
        await assert.rejects(believeClock(storage), /that of the database server says .* Synchronise them first\./);
        assert.equal(await storedRound(), before);
        world.serverOffset = 0;
      });

      it('is not believed while it is more than a minute from the clock of the server, whichever of them is wrong', async () => {
        const one = node();
        await one.run(2 * MINUTE_MS);
        for (const offset of [2 * MINUTE_MS, -2 * MINUTE_MS]) {
          world.serverOffset = offset;
          assert.equal((await one.round()).doubt, 'database');
          assert.equal(one.judge.believableNow(), null);
          assert.equal(one.judge.sessionNow(one.wall()), world.now());
        }
        world.serverOffset = 0;
        assert.equal((await one.round()).doubt, null);
      });

      it('is compared with the last answer of the server that came within 30 seconds', async () => {
        const one = node();
        await one.round();
        world.answerMs = 5 * MINUTE_MS;
        assert.equal((await one.round()).doubt, null, 'an answer that is too old');
        world.serverOffset = 2 * MINUTE_MS;
        for (const [answerMs, doubt] of [
          [30_001, null],
          [30_000, 'database'],
        ] as const) {
          world.answerMs = answerMs;
          assert.equal((await one.round()).doubt, doubt, `${answerMs} ms`);
        }
      });

      it('sets no base of a new database that the clock of the server does not agree with', async () => {
        const one = node(YEARS);
        assert.equal((await one.round()).doubt, 'unknown');
        assert.equal(one.judge.believableNow(), null);
        assert.equal(await rowOf(fresh.database, 'select at from believed_round'), null);
        assert.equal((await node().round()).doubt, null);
      });

      it('of one node is not believed because it goes on evenly, while the server disagrees', async () => {
        const [right, wrong] = [node(), node(YEARS)];
        await right.round();
        for (let hour = 0; hour < 30; hour += 1) {
          world.pass(HOUR_MS);
          await Promise.all([right.round(), wrong.round()]);
        }
        assert.equal(wrong.judge.believableNow(), null);
        assert.equal(wrong.judge.steadyNow(), world.now(), 'leases go by the clock of the server');
        assert.equal(right.judge.believableNow(), world.now());
      });
    }
  });

async function insertEvent({ database }: TestDatabase, at: number): Promise<void> {
  const time = toTimestamp(at);
  await execute(
    database,
    `insert into event (event_id, type, actor, occurred_at, before_facts, after_facts)
     values ('${eventIdBound(at)}', 'license.noted', 'operator', '${time}', '{}', '{}')`,
  );
}
