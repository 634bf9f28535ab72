/** The outbox on both engines: who begins an attempt, how often, and the outcomes of an e-mail. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { copiedTables } from '../../../src/app.ts';
import { layOut } from '../../../src/customers/mail/layout.ts';
import { type EndedMail, type MailStore, readMails, writeMails } from '../../../src/customers/mail/mail-store.ts';
import { type NewMail, queueMail } from '../../../src/customers/mail/outbox.ts';
import { isDue } from '../../../src/customers/mail/schedule.ts';
import { MAIL_BOUNDS, MailSender } from '../../../src/customers/mail/sender.ts';
import type { SmtpResult } from '../../../src/customers/mail/smtp.ts';
import { listMailRows } from '../../../src/customers/mail/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { emptyOutbox } from '../../../src/operations/recovery/stop-sending.ts';
import type { MailKind } from '../../../src/platform/endpoint/mail-kind.ts';
import { NEWEST } from '../../../src/platform/endpoint/page.ts';
import { SETTINGS } from '../../support/contexts.ts';
import { engines } from '../../support/databases.ts';
import { startedStorage } from '../../support/storages.ts';
import { tidy } from '../../support/tidy.ts';

const kindOf = (name: string, more: Partial<MailKind> = {}): MailKind => ({
  ...{ name, tries: [MINUTE_MS, 5 * MINUTE_MS] },
  prepare: async (_sql, { data }) =>
    data.isDropped === undefined ? { ...layOut('en', name, [name]), ...NOBODY } : null,
  ...more,
});
const NOBODY = { replyTo: null, fromName: null };
const lasting = kindOf('lasting');
const brief = kindOf('brief', { deletedOnceSent: true });
const owning = kindOf('owning', { hasOwnShare: true });
const toOperator = kindOf('to operator', { isToOperator: true });
/** Strangers can make its recipients. */
const strange = kindOf('strange', {
  hasOwnShare: true,
  prepare: async () => ({ ...layOut('en', 'strange', []), ...NOBODY, isToNewcomer: true }),
});
/** At most two in an hour. */
const limited = kindOf('limited', {
  prepare: async () => ({
    ...layOut('en', 'limited', []),
    ...NOBODY,
    limits: [{ subject: 'limited', max: 2, windowMs: HOUR_MS }],
  }),
});
const KINDS = [lasting, brief, owning, toOperator, strange, limited];

for (const engine of engines)
  describe(`the outbox on ${engine}`, () => {
    const storage = startedStorage(engine);
    let now = systemClock();

    const clock = () => now;
    let isBelieved = true;
    const time = { believableNow: () => (isBelieved ? now : null), steadyNow: clock };
    const names = KINDS.map(({ name }) => name);
    const node = (perHour: number | null = null): MailStore => ({
      ...readMails(storage, names),
      ...writeMails(storage, clock, time, KINDS, SETTINGS, { perHour, fromAddress: 'from@shop.example' }),
    });
    const mailTo = (
      to: string,
      kind = lasting,
      data: Record<string, string> = {},
      creatorId: string | null = null,
    ): NewMail => ({
      ...{ kind, to, creatorId, language: 'en', licenseKey: null, data, now },
    });
    const queue = (...mail: Parameters<typeof mailTo>) => storage.transaction((tx) => queueMail(tx, mailTo(...mail)));
    const rows = () =>
      storage.read((sql) => listMailRows(sql, { creator: undefined, state: undefined }, { after: NEWEST, limit: 100 }));
    const rowOf = async (mailId: string) => (await rows()).find((each) => each.mailId === mailId);
    const ended = (mailId: string, attempt: number, outcome: EndedMail['outcome'], kind = lasting): EndedMail => ({
      ...{ mailId, kind: kind.name, attempt, outcome },
      ...(outcome === 'sent' ? { error: null, answer: null } : { error: 'status 450', answer: '450 busy' }),
    });
    /** Leaves no e-mail waiting. */
    const settleAll = async () => {
      now += 3 * DAY_MS;
      const store = node();
      while ((await store.findDueMail()) !== null) await store.beginMails(100, []);
      await store.giveBackMails();
    };

    it('takes a mail with the transaction that causes it, and only then', async () => {
      await assert.rejects(
        storage.transaction(async (tx) => {
          await queueMail(tx, mailTo('a@shop.example'));
          throw new Error('rolled back');
        }),
      );
      assert.equal(await node().findDueMail(), null);
      await queue('a@shop.example');
      assert.equal(await node().findDueMail(), now);
      await settleAll();
    });

    it('gives a mail to one node, and the next ones to another only after the lease', async () => {
      const [one, other] = [node(), node()];
      await queue('a@shop.example');
      await queue('b@shop.example');
      const first = await one.beginMails(1, []);
      assert.equal(first?.mails.length, 1);
      assert.equal(await other.beginMails(1, []), null);
      await one.giveBackMails();
      const second = await other.beginMails(3, []);
      assert.deepEqual(
        second?.mails.map(({ mail }) => mail.to),
        ['b@shop.example'],
      );
      await other.giveBackMails();
      await settleAll();
    });

    it('repeats an attempt whose node died after the server accepted the mail, once and with the same Message-ID', async () => {
      const mailId = await queue('a@shop.example');
      const [dead, alive] = [node(), node()];
      const [first] = (await dead.beginMails(1, []))?.mails ?? [];
      // A clock that is set ahead makes it due while it is under way.
      assert.equal((await dead.beginMails(1, [mailId]))?.mails.length, 0);
      now += MINUTE_MS - 1;
      assert.equal((await alive.beginMails(1, []))?.mails.length ?? 0, 0);
      now += 1;
      const [again] = (await alive.beginMails(1, []))?.mails ?? [];
      assert.deepEqual(again, { ...first, attempt: 2 });
      assert.equal(again?.mail.messageId, `<${mailId}@shop.example>`);
      await alive.endMails([ended(mailId, 2, 'sent')]);
      now += DAY_MS;
      assert.equal(await alive.findDueMail(), null);
      // The result of the attempt before it comes too late to change anything.
      await alive.endMails([ended(mailId, 1, 'refused')]);
      assert.equal((await rowOf(mailId))?.state, 'sent');
      await alive.giveBackMails();
    });

    it('gives a mail up after its last attempt, also if the node dies in that one', async () => {
      const [failing, dying] = [await queue('a@shop.example'), await queue('b@shop.example')];
      const store = node();
      for (const [attempt, pause] of [
        [1, MINUTE_MS],
        [2, 5 * MINUTE_MS],
        [3, HOUR_MS],
      ] as const) {
        assert.equal((await store.beginMails(5, []))?.mails.length, 2);
        await store.endMails([ended(failing, attempt, 'unavailable')]);
        now += pause;
      }
      assert.deepEqual((await rowOf(failing))?.lastError, '450 busy');
      assert.equal((await rowOf(failing))?.state, 'failed');
      const last = await store.beginMails(5, []);
      assert.deepEqual(
        [last?.mails, last?.news.map(({ mailId, outcome, error }) => [mailId, outcome, error])],
        [[], [[dying, 'failed', 'interrupted']]],
      );
      await store.giveBackMails();
    });

    it('drops e-mails without a purpose, and fails those that nobody may get or that waited too long', async () => {
      const dropped = await queue('a@shop.example', lasting, { isDropped: 'yes' });
      const strange = await queue('victim<attacker@evil.example>');
      const store = node();
      const begun = await store.beginMails(5, []);
      assert.deepEqual(begun?.mails, []);
      assert.equal((await rowOf(dropped))?.state, 'dropped');
      const { state, lastError } = (await rowOf(strange))!;
      assert.deepEqual([state, lastError], ['failed', 'address not mailable']);
      const late = await queue('c@shop.example');
      now += 2 * DAY_MS + 1;
      await store.beginMails(5, []);
      assert.equal((await rowOf(late))?.lastError, 'waited too long');
      await store.giveBackMails();
    });

    it('deletes rows of kinds that ask for it once they are sent or dropped, the others after 30 days', async () => {
      const sent = await queue('a@shop.example', brief);
      const dropped = await queue('b@shop.example', brief, { isDropped: 'yes' });
      const failed = await queue('c<d@shop.example', brief);
      const kept = await queue('e@shop.example');
      const store = node();
      await store.beginMails(5, []);
      await store.endMails([ended(sent, 1, 'sent', brief), ended(kept, 1, 'sent')]);
      await store.giveBackMails();
      assert.deepEqual([await rowOf(sent), await rowOf(dropped)], [undefined, undefined]);
      assert.equal((await rowOf(failed))?.state, 'failed');
      now += DAY_MS;
      await tidy(storage, time);
      assert.deepEqual([await rowOf(failed), (await rowOf(kept))?.state], [undefined, 'sent']);
      now += 29 * DAY_MS;
      await tidy(storage, time);
      assert.equal(await rowOf(kept), undefined);
    });

    it('begins no more attempts in an hour than the limit allows, on all nodes together', async () => {
      for (let each = 0; each < 5; each++) await queue(`r${each}@shop.example`);
      const [one, other] = [node(3), node(3)];
      const first = await one.beginMails(2, []);
      await one.giveBackMails();
      const second = await other.beginMails(3, []);
      assert.deepEqual([first?.mails.length, second?.mails.length], [2, 1]);
      const pauseMs = second?.pauseMs ?? 0;
      assert.ok(pauseMs > 0 && pauseMs <= HOUR_MS + MINUTE_MS, `${pauseMs}`);
      await other.endMails(
        [...(first?.mails ?? []), ...(second?.mails ?? [])].map(({ mailId }) => ended(mailId, 1, 'sent')),
      );
      now += pauseMs;
      assert.equal((await other.beginMails(3, []))?.mails.length, 2);
      await other.giveBackMails();
      await settleAll();
    });

    it('keeps a quarter of the limit for kinds with an own share, which pass all others', async () => {
      now += 2 * HOUR_MS;
      for (let each = 0; each < 10; each++) await queue(`k${each}@shop.example`);
      const store = node(8);
      const begun = async () => {
        const { mails, pauseMs } = (await store.beginMails(10, [])) ?? assert.fail();
        await store.endMails(mails.map(({ mailId }) => ended(mailId, 1, 'sent')));
        return [mails.map(({ kind }) => kind), pauseMs > 0];
      };
      assert.deepEqual(await begun(), [Array(6).fill('lasting'), false]);
      for (let each = 0; each < 3; each++) await queue(`o${each}@shop.example`, owning);
      assert.deepEqual(await begun(), [['owning', 'owning'], true]);
      await store.giveBackMails();
      await settleAll();
    });

    it('sends e-mails to the operator past a limit that is used up, and counts them for none', async () => {
      now += 2 * HOUR_MS;
      for (let each = 0; each < 4; each++) await queue(`t${each}@ops.example`, toOperator);
      for (let each = 0; each < 3; each++) await queue(`u${each}@shop.example`, owning);
      const store = node(1);
      const begun = async () => {
        const { mails } = (await store.beginMails(10, [])) ?? assert.fail();
        await store.endMails(mails.map(({ mailId }) => ended(mailId, 1, 'sent')));
        return mails.map(({ kind }) => kind);
      };
      assert.deepEqual(await begun(), [...Array(4).fill('to operator'), 'owning']);
      await queue('v@ops.example', toOperator);
      assert.deepEqual(await begun(), ['to operator']);
      await store.giveBackMails();
      await settleAll();
    });

    it('leaves a creator a quarter of the limit, and the e-mails of all others pass those that wait for it', async () => {
      now += 2 * HOUR_MS;
      for (let each = 0; each < 6; each++) await queue(`f${each}@shop.example`, lasting, {}, 'flood');
      await queue('own@shop.example');
      await queue('other@shop.example', lasting, {}, 'other');
      const store = node(8);
      const begun = async () => {
        const { mails, postponed } = (await store.beginMails(3, [])) ?? assert.fail();
        await store.endMails(mails.map(({ mailId }) => ended(mailId, 1, 'sent')));
        return [mails.map(({ mail }) => mail.to), postponed];
      };
      assert.deepEqual(await begun(), [['f0@shop.example', 'f1@shop.example'], 4]);
      assert.deepEqual(await begun(), [['own@shop.example', 'other@shop.example'], 0]);
      now += 2 * HOUR_MS;
      assert.deepEqual((await begun())[0], ['f2@shop.example', 'f3@shop.example']);
      await store.giveBackMails();
      await settleAll();
    });

    it('drops e-mails to newcomers beyond a tenth of the limit', async () => {
      now += 2 * HOUR_MS;
      for (let each = 0; each < 5; each++) await queue(`n${each}@shop.example`, strange);
      await queue('own@shop.example', owning);
      const store = node(20);
      const { mails, news } = (await store.beginMails(10, [])) ?? assert.fail();
      assert.deepEqual(
        mails.map(({ kind }) => kind),
        ['strange', 'strange', 'owning'],
      );
      assert.deepEqual(
        news.map(({ outcome }) => outcome),
        ['dropped', 'dropped', 'dropped'],
      );
      await store.giveBackMails();
      await settleAll();
    });

    it('counts the first attempt of a mail for its own limits, and drops it beyond them', async () => {
      const store = node();
      const begin = async () => (await store.beginMails(5, []))?.mails.map(({ attempt }) => attempt);
      await queue('a@shop.example', limited);
      assert.deepEqual(await begin(), [1]);
      now += MINUTE_MS;
      assert.deepEqual(await begin(), [2]);
      for (const to of ['b@shop.example', 'c@shop.example']) await queue(to, limited);
      assert.deepEqual(await begin(), [1]);
      await store.giveBackMails();
      await settleAll();
    });

    it('tries a mail whose next attempt a clock dated years ahead, once the clock is right', async () => {
      const right = now;
      const mailId = await queue('a@shop.example');
      const store = node();
      now += 1_000 * DAY_MS;
      isBelieved = false;
      await store.beginMails(1, []);
      isBelieved = true;
      await store.endMails([ended(mailId, 1, 'unavailable')]);
      now = right;
      const dueAt = await store.findDueMail();
      assert.ok(dueAt !== null && dueAt > now && isDue(dueAt, now));
      const [again] = (await store.beginMails(1, []))?.mails ?? [];
      assert.deepEqual([again?.mailId, again?.attempt], [mailId, 2]);
      await store.endMails([ended(mailId, 2, 'sent')]);
      await store.giveBackMails();
    });

    it('gives no mail up as too old while the clock is not believed', async () => {
      const right = now;
      const mailId = await queue('a@shop.example');
      const store = node();
      now += 1_000 * DAY_MS;
      isBelieved = false;
      const begun = await store.beginMails(1, []);
      isBelieved = true;
      assert.deepEqual([begun?.news, begun?.mails.map((each) => each.mailId)], [[], [mailId]]);
      await store.endMails([ended(mailId, 1, 'sent')]);
      await store.giveBackMails();
      now = right;
    });

    it('is emptied by a restore, whatever waits in it', async () => {
      for (let each = 0; each < 3; each++) await queue(`e${each}@shop.example`);
      const before = (await rows()).length;
      assert.equal(await storage.transaction(emptyOutbox), before);
      assert.deepEqual([await rows(), await node().findDueMail()], [[], null]);
      assert.ok(copiedTables.includes('mail'), 'a copy that keeps sending takes the e-mails along');
    });

    it('leaves e-mails of kinds that this version does not know to others', async () => {
      await queue('a@shop.example', kindOf('of a later version'));
      assert.equal(await node().findDueMail(), null);
      assert.deepEqual((await node().beginMails(5, []))?.mails, []);
    });
  });

describe('the sender of e-mails', () => {
  it('begins no second attempt of a mail whose result is not stored yet', async () => {
    const at = { ...layOut('en', 'Subject', ['Text.']), ...NOBODY, to: 'a@shop.example', messageId: '<a@b>', at: 0 };
    const sent = Promise.withResolvers<SmtpResult>();
    const unsettled: (readonly string[])[] = [];
    const sender = new MailSender({
      store: {
        async findDueMail() {
          // The attempt ends while the second round looks for e-mails.
          if (unsettled.length === 1) {
            sent.resolve({ outcome: 'sent' });
            await sender.attemptEnds();
          }
          return 0;
        },
        async beginMails(_most, left) {
          unsettled.push(left);
          const mails = unsettled.length === 1 ? [{ mailId: 'one', kind: 'lasting', attempt: 1, mail: at }] : [];
          return { mails, news: [], postponed: 0, pauseMs: 0 };
        },
        endMails: async () => [],
        giveBackMails: async () => {},
      },
      send: () => sent.promise,
      clock: () => 0,
      elapsed: () => 0,
      bounds: MAIL_BOUNDS,
      on: () => {},
    });
    await sender.look();
    assert.ok(sender.attemptEnds() !== null);
    await sender.look();
    assert.equal(sender.attemptEnds(), null);
    assert.deepEqual(unsettled, [[], ['one']]);
    await sender.stop();
  });
});
