/** Test e-mails to the operator, on both engines, read from the wire. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { HOUR_MS } from '../../../src/ground/base/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { appFor } from '../../support/for-test.ts';
import { fillPool } from '../../support/full-pool.ts';
import { MailServer } from '../../support/mail-server.ts';
import { QUICK_MAILS } from '../../support/sent-mails.ts';
import { OPERATOR } from './telling.ts';

const OTHER = 'You@example.com';
const PATH = '/testOperatorMail';

for (const engine of engines)
  describe(`test e-mails to the operator on ${engine}`, () => {
    let server: MailServer;
    let app: TestApp;
    before(async () => {
      server = await MailServer.start();
      const environment = { ...server.environment, LATCHKEY_OPERATOR_EMAIL: `${OPERATOR},${OTHER}` };
      app = await startApp(engine, environment, undefined, { mailSender: QUICK_MAILS });
    });
    beforeEach(() => {
      server.received.length = 0;
      server.reactToMail = () => 'accept';
      // The tests of the hour before count no longer.
      app.clock.move(2 * HOUR_MS);
    });
    after(async () => {
      await app?.stop();
      await server?.close();
    });

    /** The e-mails of a reply, in its order, once none of them waits. */
    async function settled(mailIds: readonly string[]) {
      for (;;) {
        const { mails } = await mustSucceed(app.admin('/listMails', { limit: 100 }));
        const found = mailIds.map((id) => mails.find(({ mailId }: { mailId: string }) => mailId === id));
        if (found.every((mail) => mail !== undefined && mail.state !== 'waiting')) return found;
        await wait(20);
      }
    }

    it('go to every address, as the command sends them', async () => {
      const { mailIds } = await mustSucceed(app.admin(PATH));
      const mails = await settled(mailIds);
      assert.deepEqual(
        mails.map(({ to, kind, state, attempts, lastError }) => [to, kind, state, attempts, lastError]),
        [OPERATOR, OTHER].map((to) => [to, 'operator_test', 'sent', 1, null]),
      );
      const received = await server.hasReceived(2);
      assert.deepEqual(received.map(({ to, mail }) => `${mail.subject} to ${to}`).sort(), [
        `Test e-mail of Latchkey to ${OTHER}`,
        `Test e-mail of Latchkey to ${OPERATOR}`,
      ]);
    });

    it('go to one address of the operator, in any case, and to nobody else', async () => {
      const { mailIds } = await mustSucceed(app.admin(PATH, { to: OTHER.toUpperCase() }));
      const [mail, ...others] = await settled(mailIds);
      assert.deepEqual([mail.to, others], [OTHER, []]);
      const refused = await app.admin(PATH, { to: 'ada@example.com' });
      assert.deepEqual(
        [refused.status, refused.headers['latchkey-code'], refused.body.error],
        [409, 'not_operator_address', 'LATCHKEY_OPERATOR_EMAIL does not name this address'],
      );
    });

    it('fail at once with the answer of the mail server', async () => {
      server.reactToMail = () => ({ status: 451, words: '4.3.0 later' });
      const { mailIds } = await mustSucceed(app.admin(PATH, { to: OPERATOR }));
      const [mail] = await settled(mailIds);
      assert.deepEqual([mail.state, mail.attempts], ['failed', 1]);
      assert.match(mail.lastError, /^451 4\.3\.0 later/);
    });

    it('are ten an hour to an address, exactly, also at once', async () => {
      await fillPool(app);
      const answers = await Promise.all(Array.from({ length: 14 }, () => app.admin(PATH, { to: OPERATOR })));
      const refused = answers.filter(({ status }) => status !== 200);
      assert.equal(refused.length, 4);
      for (const { status, headers, body } of refused) {
        assert.deepEqual([status, body.error], [429, 'Too many test e-mails. Try again later.']);
        assert.ok(Number(headers['retry-after']) > 0);
      }
      // One to all addresses counts for each, or for none.
      assert.equal((await app.admin(PATH)).status, 429);
      for (let test = 0; test < 10; test++) await mustSucceed(app.admin(PATH, { to: OTHER }));
      assert.equal((await app.admin(PATH, { to: OTHER })).status, 429);
      app.clock.move(2 * HOUR_MS);
      await mustSucceed(app.admin(PATH));
    });

    it('are refused without a mail server, and without an address', async (test) => {
      const silent = await appFor(test, engine, { LATCHKEY_OPERATOR_EMAIL: OPERATOR });
      const off = await silent.admin(PATH);
      assert.deepEqual([off.status, off.headers['latchkey-code']], [409, 'mail_off']);
      const nobody = await appFor(test, engine, server.environment);
      const unnamed = await nobody.admin(PATH);
      assert.deepEqual([unnamed.status, unnamed.headers['latchkey-code']], [409, 'not_operator_address']);
    });
  });
