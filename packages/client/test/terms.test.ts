/** Which builds a license covers, and which features it has. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { factsOfFile } from '../src/facts.ts';
import type { LicenseFileClaims } from '../src/license-file.ts';
import { covers, featureOf, isVersion, type Terms, termsOfFile } from '../src/terms.ts';

const NONE: Terms = { features: {}, featureEnds: {}, updatesUntil: null, maxVersion: null };

describe('the terms of a license', () => {
  it('cover a version up to as many numbers as the bound has', () => {
    for (const [maxVersion, covered, beyond] of [
      ['2', ['1.9', '2', '2.0', '2.99.1', '2.3-beta+5'], ['3', '3.0.0', '10.1']],
      ['2.3', ['1.9', '2', '2.3', '2.3.7', '2.3.0-rc.1'], ['2.4', '2.10', '3', '2.4-alpha']],
      ['2.3.1', ['2.3', '2.3.1', '2.3.1.9'], ['2.3.2', '2.3.10']],
    ] as const) {
      const terms = { ...NONE, maxVersion };
      for (const version of covered) assert.ok(covers(terms, { date: null, version }), `${maxVersion} and ${version}`);
      for (const version of beyond) assert.ok(!covers(terms, { date: null, version }), `${maxVersion} and ${version}`);
      assert.ok(covers(terms, { date: null, version: null }), 'a build that does not say');
    }
  });

  it('cover a build of the very moment, and none after it', () => {
    const terms = { ...NONE, updatesUntil: 1000 };
    assert.deepEqual(
      [999, 1000, 1001, null].map((date) => covers(terms, { date, version: null })),
      [true, true, false, true],
    );
  });

  it('have a feature until its end, and no feature that an object has by nature', () => {
    const terms = { ...NONE, features: { export: true, seats: 5, plan: 'pro' }, featureEnds: { seats: 2 } };
    assert.deepEqual(
      ['export', 'seats', 'plan', 'toString', 'absent'].map((name) => featureOf(terms, name, 1999)),
      [true, 5, 'pro', undefined, undefined],
    );
    assert.equal(featureOf(terms, 'seats', 2000), undefined);
  });

  it('of a file have no terms of another type than this client knows', () => {
    const claims = {
      keyHint: 'ABCDE',
      productId: 'paint',
      variant: 'pro',
      licenseType: 'per-machine',
      licenseExpiresAt: null,
      features: { export: true, regions: ['eu'], plan: null },
      featureEnds: { export: 'soon', plan: 7 },
      updatesUntil: 'soon',
      maxVersion: 2,
    } as unknown as LicenseFileClaims;
    assert.deepEqual(termsOfFile(claims), {
      features: { export: true },
      featureEnds: { plan: 7 },
      updatesUntil: null,
      maxVersion: null,
    });
    const { features, updatesUntil, maxVersion } = factsOfFile(claims, 0);
    assert.deepEqual([features, updatesUntil, maxVersion], [{ export: true }, null, null]);
  });

  it('compare versions of dotted whole numbers alone', () => {
    assert.deepEqual(['1', '1.2.3', '1.2-beta', 'v1', '1.', '', '1..2'].map(isVersion), [
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
