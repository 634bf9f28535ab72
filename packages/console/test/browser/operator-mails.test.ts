/** Test e-mails to the operator, from the screen of the system. */
import { after, it } from 'node:test';
import { MailServer } from '../../../server/test/support/mail-server.ts';
import { QUICK_MAILS } from '../../../server/test/support/sent-mails.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

const server = await MailServer.start();
after(() => server.close());

describeConsole(
  'e-mails to the operator',
  (under) => {
    it('are tested by a button, which shows the answer of the mail server', async () => {
      const page = await under.open({ at: '/system' });
      const button = page.getByRole('button', { name: 'Send a test e-mail' });
      await button.click();
      await under.pass(2_000);
      await page.getByText('The mail server has accepted the e-mail to ops@example.com.').waitFor();
      await page.getByText('The mail server has accepted the e-mail to you@example.com.').waitFor();
      await server.hasReceived(2);
      await inspect(page);
      server.reactToMail = () => ({ status: 554, words: '5.7.1 not for you' });
      await button.click();
      await under.pass(2_000);
      await page
        .getByText(/The e-mail to ops@example\.com was not sent\. The mail server answered: 554 5\.7\.1 not for you/)
        .waitFor();
      await inspect(page);
    });

    it('are refused beyond ten an hour, in words', async () => {
      const page = await under.open({ at: '/system', device: 'phone', scheme: 'dark' });
      for (let test = 0; test < 10; test++) await under.app.admin('/testOperatorMail');
      await page.getByRole('button', { name: 'Send a test e-mail' }).click();
      await page.getByText('Ten test e-mails were sent within an hour.').waitFor();
      await inspect(page);
    });
  },
  { ...server.environment, LATCHKEY_OPERATOR_EMAIL: 'ops@example.com,you@example.com' },
  { mailSender: QUICK_MAILS },
);
