/** The lines of a license's timeline: its history, the events of its shop, and its e-mails. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Mail, ShopEvent } from '../../src/api/contract.ts';
import { type Moment, mailMoments, shopMoments, withOthers } from '../../src/licenses/timeline-words.ts';

const KEY = 'AAAA-BBBB';
const at = (minute: number) => `2027-03-01T09:${String(minute).padStart(2, '0')}:00.000Z`;

const event = (more: Partial<ShopEvent> = {}): ShopEvent => ({
  ...{ eventId: 'sev_1', connectorId: 'con_1', sellerEventId: 'evt_1', type: 'charge.refunded', subject: 'ch_1' },
  ...{ sourceAt: null, receivedAt: at(1), state: 'applied', reason: null, detail: null, attempts: 0, dueAt: null },
  ...{ outcome: [{ licenseKey: KEY, did: 'revoked' }], remedies: [] },
  ...more,
});

describe('the lines of shop events', () => {
  it('show the report of the shop and its effect on this license', () => {
    const [line] = shopMoments(
      [
        event({
          outcome: [
            { licenseKey: 'OTHER', did: 'noted' },
            { licenseKey: KEY, did: 'revoked' },
          ],
        }),
      ],
      KEY,
      [{ connectorId: 'con_1', name: 'Plug-in store' }],
    );
    assert.deepEqual(
      [line?.title, line?.detail, line?.at, line?.isTrouble],
      ['Plug-in store reported charge.refunded.', 'Revoked · ch_1', at(1), false],
    );
    assert.deepEqual(line?.link, { href: '#/shops/con_1?event=sev_1', text: 'Open the event' });
  });

  it('say in a word that nothing came of it, and mark one that a person decides', () => {
    const waiting = event({ state: 'attention', reason: 'refund_unplaced', outcome: [], subject: null });
    const [line] = shopMoments([waiting], KEY, []);
    assert.deepEqual(
      [line?.title, line?.detail, line?.isTrouble],
      ['The shop reported charge.refunded.', 'Needs you', true],
    );
    const [known] = shopMoments([event({ state: 'nothing new', outcome: [], subject: null })], KEY, []);
    assert.equal(known?.detail, 'Nothing new');
  });
});

describe('the lines of e-mails', () => {
  const mail = (more: Partial<Mail>): Mail =>
    ({
      ...{ mailId: 'mail_1', kind: 'sale_keys', to: 'ada@example.com', state: 'sent', attempts: 1 },
      ...{ createdAt: at(2), dueAt: null, lastError: null, licenseKey: KEY },
      ...more,
    }) as Mail;

  it('name the address, the kind and the outcome', () => {
    const lines = mailMoments([mail({}), mail({ state: 'failed', lastError: 'login refused' })], KEY);
    assert.deepEqual(
      lines.map(({ title, detail, isTrouble }) => [title, detail, isTrouble]),
      [
        ['E-mail to ada@example.com: Keys of a sale.', 'Sent', false],
        ['E-mail to ada@example.com: Keys of a sale.', 'Failed', true],
      ],
    );
    assert.equal(lines[0]?.link?.href, '#/mails?license=AAAA-BBBB');
  });
});

describe('a page of the timeline', () => {
  const line = (minute: number, id = String(minute)) => ({ id, at: at(minute) }) as Moment;
  const ids = (lines: readonly Moment[]) => lines.map(({ id }) => id);

  it('has the other lines between its own, each on one page only', () => {
    const others = [line(5, 'five'), line(9, 'nine'), line(1, 'one'), line(3, 'three')];
    const first = withOthers([line(8), line(5), line(4)], others, { before: '', from: at(4) });
    assert.deepEqual(ids(first), ['nine', '8', '5', 'five', '4']);
    const second = withOthers([line(3), line(2)], others, { before: at(4), from: '' });
    assert.deepEqual(ids(second), ['3', 'three', '2', 'one']);
  });

  it('keeps the order of the history, and shows other lines without one', () => {
    assert.deepEqual(ids(withOthers([line(2), line(4)], [], { before: '', from: '' })), ['2', '4']);
    assert.deepEqual(ids(withOthers([], [line(1), line(2)], { before: '', from: '' })), ['2', '1']);
  });
});
