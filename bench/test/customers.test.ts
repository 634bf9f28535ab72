import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Catalogue } from '../src/catalogue.ts';
import { emailsIn } from '../src/customer-addresses.ts';
import { type Visit, visitsBetween } from '../src/visit-schedule.ts';

/** The visits of 50 customers in consecutive spans of time. */
function visitsIn(spanMs: number, untilMs: number): Visit[][] {
  const spans: Visit[][] = [];
  for (let fromMs = 0; fromMs < untilMs; fromMs += spanMs) spans.push(visitsBetween(50, fromMs, fromMs + spanMs));
  return spans;
}

describe('customers at the pages', () => {
  it('open a page every ten seconds each, and sign in every ten minutes', () => {
    const visits = visitsIn(137, 600_000 - (600_000 % 137)).flat();
    const rest = visitsBetween(50, 600_000 - (600_000 % 137), 600_000);
    for (let customer = 0; customer < 50; customer += 1) {
      const own = [...visits, ...rest].filter((visit) => visit.customer === customer);
      assert.equal(own.filter(({ kind }) => kind === 'page').length, 60);
      assert.equal(own.filter(({ kind }) => kind === 'signIn').length, 1);
    }
  });

  it('are spread evenly: five pages in each second, and a sign-in every twelve', () => {
    for (const visits of visitsIn(1000, 60_000)) assert.equal(visits.filter(({ kind }) => kind === 'page').length, 5);
    for (const visits of visitsIn(12_000, 60_000))
      assert.equal(visits.filter(({ kind }) => kind === 'signIn').length, 1);
  });

  it('sign in with addresses that no two of them use at once', () => {
    for (const [size, wanted] of [
      [100, 60],
      [1000, 600],
      [100_000, 600],
    ] as const) {
      const emails = emailsIn(new Catalogue(size, 0), wanted);
      assert.equal(new Set(emails).size, emails.length);
      assert.ok(emails.length >= 0.9 * wanted, `${emails.length} of ${wanted}`);
    }
  });
});
