/** A key is replaced in the console: question, new license, links both ways, e-mail. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mustSucceed } from '../../../server/test/support/creator.ts';
import { Machine } from '../../../server/test/support/machine.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';

/** E-mails are queued and not sent. */
const MAILS = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9', LATCHKEY_MAIL_FROM: 'licenses@example.com' };

describeConsole(
  'a replaced key',
  (under) => {
    it('is asked for, leads to the new license, and stays as the old one of it', async () => {
      for (const look of LOOKS) {
        const email = `leaked-${look.device}@example.com`;
        const licenseKey = await under.app.license({ email });
        await new Machine(under.app, licenseKey, 'desk').activated();
        const page = await under.open({ ...look, at: `/licenses/${licenseKey}` });
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Replace the key' }).click();
        const dialog = page.getByRole('dialog', { name: 'Replace the key' });
        await dialog.getByText('Apps on 1 machine go on by themselves if they know how').waitFor();
        await dialog.getByLabel('Reason').fill('It stood in a forum.');
        await inspect(page);
        await dialog.getByRole('button', { name: 'Replace' }).click();
        await page.getByText(`The license of ${email} has a new key.`).waitFor();
        await page.getByText('It took the place of').waitFor();
        await inspect(page);
        const { license: old } = await mustSucceed(under.app.admin('/getLicense', { licenseKey }));
        const { license, activations } = await mustSucceed(
          under.app.admin('/getLicense', { licenseKey: old.replacedBy }),
        );
        assert.deepEqual([license.replaces, activations.length, old.status], [licenseKey, 1, 'revoked']);
        const { mails } = await mustSucceed(under.app.admin('/listMails', { licenseKey: old.replacedBy }));
        assert.deepEqual(
          mails.map(({ kind, to }: { kind: string; to: string }) => [kind, to]),
          [['keys', email]],
        );
        await page.goto(`${page.url().split('#')[0]}#/licenses/${licenseKey}`);
        await page.getByText('The license goes on with the key').waitFor();
        await inspect(page);
      }
    });
  },
  MAILS,
);
