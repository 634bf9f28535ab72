/** The evidence sheet of a license: what it shows, and that it prints on one page. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mustSucceed } from '../../../server/test/support/creator.ts';
import { inspect } from '../support/inspect.ts';
import { LOOKS } from '../support/looks.ts';
import { describeConsole } from '../support/open-console.ts';

describeConsole('the evidence sheet', (under) => {
  it('shows payment, use and machines, and prints on one page', async () => {
    const { app } = under;
    const email = 'payer@example.com';
    const purchase = { type: 'purchase.completed', purchaseId: 'order-77', email, productId: 'sheet' };
    const { licenseKey } = await mustSucceed(app.webhook('/storefrontWebhook', purchase));
    await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 20 }));
    await under.move(86_400_000);
    for (let number = 1; number <= 14; number += 1)
      await mustSucceed(
        app.send('/activate', {
          ...{ licenseKey, productId: 'sheet', machineFingerprint: `machine-${number}`, hostname: `Desk ${number}` },
        }),
      );
    for (const look of LOOKS) {
      const page = await under.open({ ...look, at: `/licenses/${licenseKey}?tab=purchase` });
      await page.getByRole('link', { name: 'Evidence on one page' }).click();
      await page.getByRole('heading', { name: 'Payment' }).waitFor();
      await page.getByText('order-77').waitFor();
      await page.getByText(/^At least 12 machines used it after the payment, .* 1 day after the payment\.$/).waitFor();
      await page.getByText('12 of 14 machines.').waitFor();
      await page.getByText('None.', { exact: true }).waitFor();
      await inspect(page);
      const pdf = await page.pdf({ format: 'A4' });
      assert.equal(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length, 1);
    }
  });
});
