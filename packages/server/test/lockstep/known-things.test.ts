/** The values that later calls of two versions in lockstep may send. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KnownThings } from '../../scripts/lockstep/known-things.ts';
import { Twins } from '../../scripts/lockstep/twins.ts';
import { randomOf } from '../faults/random.ts';

it('are twins and plain texts, and no generated value that only one version has', () => {
  const twins = new Twins();
  const twin = twins.pair({ here: 'ga-I7oWU0T-vmx35', beside: 'Ds5ubO7Hhcxhjhk_' }, 'violationId');
  const known = new KnownThings(randomOf(1));
  const call = { method: 'POST', path: '/listViolations', fields: {}, headers: {}, isRead: true };
  const violations = [
    { id: 'ga-I7oWU0T-vmx35', email: 'ada@example.com' },
    { id: 'Jnzfj1PT2U_7xrEL', email: 'bo@example.com' },
  ];
  known.learn(call, JSON.stringify({ violations, nextCursor: 'b25seSBoZXJl' }), undefined, twins);
  assert.deepEqual(known.values('violationId'), [twin]);
  assert.deepEqual(known.values('email'), ['ada@example.com', 'bo@example.com']);
  assert.deepEqual(known.values('cursor of /listViolations'), []);
});
