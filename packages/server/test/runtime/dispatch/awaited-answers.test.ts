/** Numbers of calls that wait for a reply. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Outcome } from '../../../src/platform/endpoint/outcome.ts';
import { AwaitedAnswers } from '../../../src/runtime/dispatch/awaited-answers.ts';

const OUTCOME: Outcome = { status: 200, body: '{}' };

describe('the answers that are awaited from a thread', () => {
  it('reach each caller once, in any order', () => {
    const awaited = new AwaitedAnswers();
    const reported: string[] = [];
    const numbers = ['a', 'b', 'c'].map((name) => awaited.add(() => reported.push(name)));
    assert.equal(awaited.size, 3);
    for (const number of [numbers[1]!, numbers[2]!, numbers[0]!, numbers[1]!]) awaited.take(number)?.(OUTCOME);
    assert.deepEqual(reported, ['b', 'c', 'a']);
    assert.equal(awaited.size, 0);
    assert.equal(awaited.take(77), undefined);
    assert.equal(awaited.size, 0);
  });

  it('have numbers of their own while they are awaited, of which there are no more than that at once', () => {
    const awaited = new AwaitedAnswers();
    const underWay = new Set<number>();
    for (let call = 0; call < 10_000; call += 1) {
      const number = awaited.add(() => {});
      assert.ok(!underWay.has(number) && number < 8);
      underWay.add(number);
      if (underWay.size < 8) continue;
      // Not the ones that came first.
      for (const each of [...underWay].filter((_, index) => (index + call) % 3 > 0)) {
        awaited.take(each);
        underWay.delete(each);
      }
      assert.equal(awaited.size, underWay.size);
    }
  });
});
