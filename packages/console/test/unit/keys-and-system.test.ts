/** The pure rules of the screens of keys and of the system. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { hashOfKey, isHash } from '../../src/keys/hash.ts';
import { revokedText, shortHash } from '../../src/keys/words.ts';
import { daysText, roundedSpanText, shortSpanText, spanText } from '../../src/parts/span-words.ts';
import { readinessOf } from '../../src/system/readiness.ts';
import { browserText, whoText } from '../../src/system/words.ts';

describe('the hash of a key', () => {
  it('is the one by which the service lists it', async () => {
    const rawKey = 'lk_something-with-ü';
    assert.equal(await hashOfKey(rawKey), createHash('sha256').update(rawKey).digest('hex'));
  });

  it('is distinguished from a key', () => {
    assert.ok(isHash('0f'.repeat(32)));
    for (const other of ['0F'.repeat(32), '0f'.repeat(31), `lk_${'a'.repeat(49)}`]) assert.ok(!isHash(other), other);
  });

  it('is shown by its beginning', () => {
    assert.equal(shortHash('0123456789abcdef'.repeat(4)), '0123456789ab');
  });
});

describe('words of keys and sessions', () => {
  it('say how many keys were revoked', () => {
    assert.equal(revokedText(0, 'ada'), 'No key of ada was active.');
    assert.equal(revokedText(1, 'ada'), 'The key of ada was revoked.');
    assert.equal(revokedText(3, 'ada'), '3 keys of ada were revoked.');
  });

  it('say who is signed in', () => {
    assert.equal(whoText({ role: 'support', creatorId: null }), 'Support');
    assert.equal(whoText({ role: null, creatorId: 'ada' }), 'Creator ada');
  });

  it('name browsers', () => {
    const linux = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
    assert.equal(browserText(`${linux} Chrome/147.0.0.0 Safari/537.36`), 'Chrome on Linux');
    assert.equal(browserText(`${linux} Chrome/147.0.0.0 Safari/537.36 Edg/147.0`), 'Edge on Linux');
    assert.equal(
      browserText('Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0'),
      'Firefox on Windows',
    );
    assert.equal(browserText('curl/8.1'), 'curl/8.1');
    assert.equal(browserText(null), 'Not known');
  });

  it('say spans of time', () => {
    assert.equal(roundedSpanText(31), '1 minute');
    assert.equal(roundedSpanText(3_600), '1 hour');
    assert.equal(roundedSpanText(3_601), '61 minutes');
    assert.equal(roundedSpanText(47 * 3_600 + 1), '48 hours');
    assert.equal(roundedSpanText(48 * 3_600), '2 days');
    assert.equal(shortSpanText(240), '240 ms');
    assert.equal(shortSpanText(1_240), '1.2 s');
    assert.equal(daysText(14), '14 days');
    assert.equal(daysText(null, 'For ever'), 'For ever');
    assert.equal(spanText(900), '15 minutes');
    assert.equal(spanText(60), '1 minute');
    assert.equal(spanText(90), '90 seconds');
    assert.equal(spanText(43_200), '12 hours');
    assert.equal(spanText(86_400), '1 day');
    assert.equal(spanText(1_096 * 86_400), '3 years');
    assert.equal(spanText(1_095 * 86_400), '1,095 days');
    assert.equal(spanText(400 * 86_400), '400 days');
  });

  it('distinguish a service that stores nothing from one that is ready', () => {
    assert.equal(readinessOf({ writes: true }), 'ready');
    assert.equal(readinessOf({ writes: false }), 'readsOnly');
  });
});
