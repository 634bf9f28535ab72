/** Other work is queued: a limited number runs at once, and a call that would wait too long is refused at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Party } from '../../../src/runtime/dispatch/parties.ts';
import { asQueuedWork, QueuedWork, type QueuedWorkBounds } from '../../../src/runtime/dispatch/queued-work.ts';
import { openTestStorage } from '../../storage/test-storage.ts';

const OPERATOR: Party = { name: 'operator', goesAhead: true };
const STOREFRONT: Party = { name: 'storefront', goesAhead: true };
const creator = (name: string): Party => ({ name: `creator:${name}`, goesAhead: false });

/** Other work on a clock that the test moves; each piece has a name. */
class Scene {
  now = 0;
  /** Names of the pieces in progress. */
  readonly underWay = new Map<string, () => void>();
  readonly refused: [name: string, retryAfterSeconds: number][] = [];
  readonly work: QueuedWork;

  constructor(bounds: Partial<QueuedWorkBounds> = {}) {
    const usual: QueuedWorkBounds = { atOnce: 2, maxWaiting: 100, longestWaitMs: 2_000 };
    // A bound may be a getter.
    this.work = new QueuedWork(
      Object.defineProperties(usual, Object.getOwnPropertyDescriptors(bounds)),
      () => this.now,
    );
  }

  /** A piece whose name begins with `read` is a read. */
  come(...names: string[]): void {
    this.comeFrom(OPERATOR, ...names);
  }

  comeFrom(party: Party, ...names: string[]): void {
    for (const name of names)
      this.work.enter(
        name.startsWith('read') ? 'read' : 'write',
        party,
        (end) => this.underWay.set(name, end),
        (seconds) => this.refused.push([name, seconds]),
      );
  }

  end(name: string): void {
    const end = this.underWay.get(name);
    this.underWay.delete(name);
    end?.();
  }

  /** Runs pieces of a known length, so that the queue learns their duration. */
  learn(milliseconds: number): void {
    for (let count = 0; count < 100; count++) {
      this.come('lesson');
      this.now += milliseconds;
      this.end('lesson');
    }
  }

  get names(): string[] {
    return [...this.underWay.keys()];
  }
}

describe('other work', () => {
  it('starts no more while its bound is lower, and goes on up to the bound once that rises', () => {
    let atOnce = 3;
    const scene = new Scene({
      get atOnce() {
        return atOnce;
      },
    });
    scene.come('a', 'b', 'c', 'd', 'e', 'f');
    atOnce = 1;
    scene.end('a');
    scene.end('b');
    assert.deepEqual(scene.names, ['c']);
    atOnce = 3;
    scene.end('c');
    assert.deepEqual([scene.names, scene.refused], [['d', 'e', 'f'], []]);
  });

  it('is under way so much at once, and goes on in the order in which it came', () => {
    const scene = new Scene();
    scene.come('a', 'b', 'c', 'd');
    assert.deepEqual(scene.names, ['a', 'b']);
    scene.end('b');
    assert.deepEqual(scene.names, ['a', 'c']);
    scene.end('a');
    scene.end('c');
    scene.end('d');
    scene.come('e');
    assert.deepEqual([scene.names, scene.refused], [['e'], []]);
  });

  it('starts so many reads at once, while writes overtake those that wait', () => {
    const scene = new Scene({ readsAtOnce: 1 });
    scene.come('read 1', 'read 2', 'a', 'b', 'read 3');
    assert.deepEqual(scene.names, ['read 1', 'a']);
    scene.end('a');
    assert.deepEqual(scene.names, ['read 1', 'b']);
    scene.end('read 1');
    assert.deepEqual(scene.names, ['b', 'read 2']);
    scene.end('b');
    assert.deepEqual(scene.names, ['read 2'], 'a third read began beside the second');
    scene.end('read 2');
    assert.deepEqual(scene.names, ['read 3']);
  });

  it('does not refuse a write for the reads that it overtakes', () => {
    const scene = new Scene({ readsAtOnce: 1 });
    for (let count = 0; count < 100; count += 1) {
      scene.come('read lesson');
      scene.now += 1_200;
      scene.end('read lesson');
    }
    scene.come('a', 'read 1', 'read 2', 'read 3', 'b');
    // Reads go on one at a time, so the third would wait 2.4 s.
    assert.deepEqual([scene.names, scene.refused], [['a', 'read 1'], [['read 3', 3]]]);
    scene.end('a');
    assert.deepEqual(scene.names, ['read 1', 'b']);
  });

  it('is refused when so much of it waits', () => {
    const scene = new Scene({ maxWaiting: 2 });
    scene.come('a', 'b', 'c', 'd', 'e');
    assert.deepEqual(scene.refused, [['e', 1]]);
    scene.end('a');
    scene.come('f');
    assert.deepEqual([scene.names, scene.refused.length], [['b', 'c'], 1]);
  });

  it('is refused by how long it would wait, however few wait', () => {
    const scene = new Scene();
    scene.learn(1_500);
    // With two places and 1.5 s a call, a place becomes free every 0.75 s.
    scene.come('a', 'b', 'c', 'd', 'e');
    assert.deepEqual(scene.names, ['a', 'b']);
    // c would wait 0.75 s, d 1.5 s, e 2.25 s.
    assert.deepEqual(scene.refused, [['e', 3]]);
  });

  it('waits however many wait, where each is quick', () => {
    const scene = new Scene();
    scene.learn(1);
    scene.come(...Array.from({ length: 90 }, (_, index) => `quick ${index}`));
    assert.deepEqual(scene.refused, []);
  });

  it('is refused while the first in the queue has waited too long, at any previous pace', () => {
    const scene = new Scene();
    scene.learn(1);
    scene.come('a', 'b', 'c');
    scene.now += 2_001;
    scene.come('d');
    assert.deepEqual(scene.refused, [['d', 3]]);
    scene.end('a');
    scene.come('e');
    assert.deepEqual(scene.refused.length, 1, 'it moves again');
  });

  it('that waits is refused when its time has come and nothing has ended, and younger work waits on', async () => {
    let now = 0;
    const work = new QueuedWork({ atOnce: 1, maxWaiting: 10, longestWaitMs: 20 }, () => now);
    let end: () => void = () => {};
    work.enter('write', OPERATOR, (ends) => (end = ends));
    const refused: [name: string, retryAfterSeconds: number][] = [];
    const wait = (name: string, begin: () => void) =>
      work.enter('write', OPERATOR, begin, (seconds) => refused.push([name, seconds]));
    wait('older', () => assert.fail('nothing has ended'));
    now = 1;
    let isYoungerUnderWay = false;
    wait('younger', () => (isYoungerUnderWay = true));
    now = 20;
    // The timer of a queue does not keep a process alive.
    for (let tries = 0; tries < 500 && refused.length === 0; tries += 1) await sleep(10);
    assert.deepEqual(refused, [['older', 1]]);
    end();
    assert.equal(isYoungerUnderWay, true);
  });

  it('is never refused with the limit off, except for too much waiting work', () => {
    const scene = new Scene({ longestWaitMs: null, maxWaiting: 3 });
    scene.learn(60_000);
    scene.come('a', 'b', 'c', 'd', 'e');
    scene.now += 600_000;
    assert.deepEqual(scene.refused, []);
    scene.come('f');
    assert.deepEqual(scene.refused, [['f', 60]]);
  });

  it('takes turns: a party with much waiting work delays another one by a single piece', () => {
    const scene = new Scene({ atOnce: 1 });
    scene.comeFrom(creator('a'), 'a1', 'a2', 'a3', 'a4');
    scene.comeFrom(creator('b'), 'b1', 'b2');
    scene.comeFrom(creator('c'), 'c1');
    const order = [];
    for (let [name] = scene.names; name !== undefined; [name] = scene.names) {
      order.push(name);
      scene.end(name);
    }
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('of the operator and the storefront goes ahead, by turns of the two', () => {
    const scene = new Scene({ atOnce: 1 });
    scene.comeFrom(creator('a'), 'a1', 'a2');
    scene.comeFrom(OPERATOR, 'o1', 'o2', 'o3');
    scene.comeFrom(STOREFRONT, 's1');
    const order = [];
    for (let [name] = scene.names; name !== undefined; [name] = scene.names) {
      order.push(name);
      scene.end(name);
    }
    assert.deepEqual(order, ['a1', 'o1', 's1', 'o2', 'o3', 'a2']);
  });

  it('of a creator takes half of the places, and that of all creators leaves one', () => {
    const scene = new Scene({ atOnce: 6 });
    scene.comeFrom(creator('a'), 'a1', 'a2', 'a3', 'a4');
    assert.deepEqual(scene.names, ['a1', 'a2', 'a3']);
    scene.comeFrom(creator('b'), 'b1', 'b2', 'b3');
    assert.deepEqual(scene.names, ['a1', 'a2', 'a3', 'b1', 'b2']);
    scene.comeFrom(OPERATOR, 'o1', 'o2');
    assert.deepEqual(scene.names, ['a1', 'a2', 'a3', 'b1', 'b2', 'o1']);
    scene.end('a1');
    assert.deepEqual(scene.names, ['a2', 'a3', 'b1', 'b2', 'o1', 'o2']);
    scene.end('o1');
    assert.deepEqual(scene.names, ['a2', 'a3', 'b1', 'b2', 'o2', 'b3']);
  });

  it('is refused by the wait of its own party, and never for what waits of a party that it overtakes', () => {
    const scene = new Scene({ atOnce: 1 });
    scene.learn(500);
    scene.comeFrom(creator('a'), ...Array.from({ length: 6 }, (_, at) => `a${at}`));
    // a4 and a5 would wait for more than 2 s.
    assert.deepEqual(
      scene.refused.map(([name]) => name),
      ['a5'],
    );
    scene.comeFrom(creator('b'), 'b0', 'b1', 'b2');
    scene.comeFrom(OPERATOR, 'o0', 'o1', 'o2', 'o3');
    assert.deepEqual(
      scene.refused.map(([name]) => name),
      ['a5', 'b2'],
    );
  });

  it('is refused at the bound of waiting work where most of it waits, the youngest first', () => {
    const scene = new Scene({ atOnce: 1, maxWaiting: 4, longestWaitMs: null });
    const names = () => scene.refused.map(([name]) => name);
    scene.comeFrom(creator('a'), 'a0', 'a1', 'a2', 'a3', 'a4', 'a5');
    assert.deepEqual(names(), ['a5']);
    scene.comeFrom(creator('b'), 'b0', 'b1', 'b2');
    assert.deepEqual(names(), ['a5', 'a4', 'a3', 'b2']);
    scene.comeFrom(OPERATOR, 'o0', 'o1', 'o2', 'o3', 'o4');
    assert.deepEqual(names(), ['a5', 'a4', 'a3', 'b2', 'a2', 'b1', 'a1', 'b0', 'o4']);
    scene.comeFrom(creator('c'), 'c0');
    scene.comeFrom(STOREFRONT, 's0');
    assert.deepEqual(names().slice(-2), ['c0', 'o3']);
  });

  it('is idle when nothing of it waits or is under way', async () => {
    const scene = new Scene({ atOnce: 1 });
    await scene.work.idle();
    scene.come('a', 'b');
    let isIdle = false;
    const idle = scene.work.idle().then(() => (isIdle = true));
    scene.end('a');
    await new Promise(setImmediate);
    assert.equal(isIdle, false);
    scene.end('b');
    await idle;
  });

  it('of jobs waits for its turn and is not refused', async () => {
    const test = await openTestStorage('sqlite');
    const work = new QueuedWork({ atOnce: 1, maxWaiting: 0, longestWaitMs: 1 });
    const storage = asQueuedWork(test.storage, work);
    let endCall: () => void = () => {};
    work.enter('write', OPERATOR, (end) => (endCall = end));
    let isDone = false;
    const job = storage.transaction(async () => 'done').finally(() => (isDone = true));
    const failure = new Error('a bug');
    const failing = storage.transaction(() => Promise.reject(failure));
    await test.storage.transaction(async () => 'others are served');
    assert.equal(isDone, false);
    endCall();
    assert.equal(await job, 'done');
    await assert.rejects(failing, failure);
    assert.equal(await storage.read(async () => 'read'), 'read');
    await test.remove();
  });
});
