/** The sentences of the evidence sheet. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countriesText, usageSentence, utcText } from '../../src/licenses/evidence.ts';

describe('the evidence sheet', () => {
  const license = { purchasedAt: '2027-03-04T12:00:00.000Z' };
  const used = (lastSeen: string) => ({ firstSeen: '2027-03-01T00:00:00.000Z', lastSeen });

  it('counts the machines that used the license after the payment, and the days to the last use', () => {
    const before = used('2027-03-04T11:59:59.999Z');
    const machines = [used('2027-03-06T12:00:00.000Z'), before, used('2027-03-04T12:00:00.000Z')];
    const text = usageSentence(license, machines, false);
    assert.match(text, /^2 machines used it after the payment, the last time at .*UTC, 2 days after the payment\.$/);
    assert.match(
      usageSentence(license, [used('2027-03-05T11:00:00.000Z')], false),
      /^1 machine .*, on the day of the payment\.$/,
    );
    assert.match(usageSentence(license, machines, true), /^At least 2 machines used it/);
    const none = 'No machine that the license knows today has used it since the payment.';
    for (const unused of [[], [before]]) assert.equal(usageSentence(license, unused, false), none);
  });

  it('names each country once, and times in UTC', () => {
    assert.equal(countriesText([{ countries: ['PT', 'DE'] }, { countries: ['DE'] }]), 'Portugal, Germany');
    assert.equal(countriesText([{ countries: [] }]), '–');
    assert.match(utcText('2027-03-04T23:30:00.000Z'), /4.*23:30.*UTC/);
    assert.equal(utcText(null), '–');
  });
});
