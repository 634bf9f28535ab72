/** How long an app without a connection can go on after a revocation. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { offlineSentence, offlineText, offlineTimeOf } from '../../src/licenses/offline-time.ts';

const NOW = Date.parse('2027-03-04T12:00:00.000Z');
const at = (days: number) => new Date(NOW + days * 86_400_000).toISOString();
const machine = (days: number, fingerprint = 'one') => ({ fingerprint, tokenExpiry: at(days) });

describe('the time of a machine without a connection', () => {
  it('is the latest end of its token and of its files', () => {
    assert.deepEqual(offlineTimeOf(machine(3), [], NOW), { until: at(3), by: 'token' });
    const files = [
      { fingerprint: 'one', expiresAt: at(30) },
      { fingerprint: 'other', expiresAt: at(90) },
    ];
    assert.deepEqual(offlineTimeOf(machine(3), files, NOW), { until: at(30), by: 'file' });
    assert.deepEqual(offlineTimeOf(machine(60), files, NOW), { until: at(60), by: 'token' });
    const anyMachine = { fingerprint: null, expiresAt: null };
    assert.deepEqual(offlineTimeOf(machine(3), [...files, anyMachine], NOW), { until: null, by: 'file' });
  });

  it('is over with the last of them', () => {
    assert.equal(offlineTimeOf(machine(-1), [{ fingerprint: 'one', expiresAt: at(-2) }], NOW), null);
    assert.equal(offlineTimeOf(machine(0), [], NOW), null);
  });

  it('is said of one machine, and of all', () => {
    assert.equal(offlineText({ until: '2027-05-03T12:00:00.000Z', by: 'file' }), '3 May 2027, by its file');
    assert.equal(offlineText(null), 'not any more');
    assert.equal(offlineSentence([null, null]), null);
    const [one, other] = [
      { until: '2027-05-03T12:00:00.000Z', by: 'token' } as const,
      { until: null, by: 'file' } as const,
    ];
    assert.equal(offlineSentence([null, one]), 'Without a connection, 1 machine can run until 3 May 2027.');
    assert.equal(offlineSentence([other, one]), 'Without a connection, 2 machines can run for ever.');
  });
});
