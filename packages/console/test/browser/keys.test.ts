/** Keys: shown once, found after a leak, and revoked. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { DAY_MS, HOUR_MS } from '../../../server/src/ground/base/clock.ts';
import { execute } from '../../../server/test/support/own-connection.ts';
import { choose, dialog } from '../support/acts.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';
import { creatorKey } from '../support/success.ts';

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');

/** Records all later requests of the page: addresses, headers and bodies. */
function sentBy(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`);
  });
  return sent;
}

describeConsole('keys', (under) => {
  it('are shown once, and are gone after a reload', async () => {
    const page = await under.open({ at: '/keys' });
    await page.getByText('No API keys yet').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'New API key' }).click();
    await dialog(page).getByLabel('Creator', { exact: true }).fill('ada');
    await dialog(page).getByLabel('New creator').check();
    await dialog(page).getByLabel('Name').fill('Build server');
    await inspect(page);
    await dialog(page).getByLabel('Name').press('Enter');
    await page.getByRole('heading', { name: 'The key of Build server' }).waitFor();
    const key = (await dialog(page).getByRole('code').innerText()).trim();
    assert.match(key, /^lk_[\w-]{49}$/);
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Copy', exact: true }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
    await page.keyboard.press('Escape');
    await dialog(page).getByText('Save the key first.').waitFor();
    await inspect(page);
    assert.ok(await dialog(page).getByRole('button', { name: 'Done' }).isDisabled());
    await dialog(page).getByLabel('I saved it').check();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'Build server', exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(key), 'the key is still in the page');
    await page.reload();
    await page.getByRole('cell', { name: 'Build server', exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(key), 'the key came back');
    assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes(key));
    assert.equal((await under.app.send('/listProducts', { apiKey: key })).status, 200, 'it is the key of the service');
  });

  it('that leaked are found by pasting them, are sent to nobody, and are revoked', async () => {
    const key = await creatorKey(under.app, 'bo', 'Storefront sync');
    const page = await under.open({ at: '/keys', device: 'phone', scheme: 'dark' });
    const sent = sentBy(page);
    await page.getByRole('button', { name: 'Find a key' }).click();
    await dialog(page).getByLabel('Key or hash').fill(` ${key}\n`);
    await dialog(page).getByRole('button', { name: 'Find', exact: true }).click();
    await dialog(page).getByRole('alert').getByText('Storefront sync, a key of bo').waitFor();
    await dialog(page).getByText('It is active: anyone who has it can use it.').waitFor();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Revoke it' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('The key of Storefront sync of bo was revoked.').waitFor();
    assert.equal((await under.app.send('/listProducts', { apiKey: key })).status, 401);
    assert.ok(
      sent.some((each) => each.includes(hashOf(key))),
      'it was revoked by its hash',
    );
    assert.deepEqual(
      sent.filter((each) => each.includes(key)),
      [],
      'the key left the page',
    );
    await page.getByRole('button', { name: 'Find a key' }).click();
    await under.move(3 * HOUR_MS);
    await dialog(page).getByLabel('Key or hash').fill(hashOf(key));
    await page.keyboard.press('Enter');
    await dialog(page).getByText('It was revoked 3 hours ago and gives no access.').waitFor();
    await inspect(page);
    const asked = sent.filter((each) => /\/list(Api|Operator)Keys .*"hash"/.test(each));
    assert.equal(asked.length, 4, 'each list was asked once each time');
  });

  it('that are none of this service are said to open nothing', async () => {
    const page = await under.open({ at: '/keys' });
    await page.getByRole('button', { name: 'Find a key' }).click();
    await dialog(page).getByLabel('Key or hash').fill('lk_somebody-else');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('No key of this service.').waitFor();
    await dialog(page).getByText('No key of this installation matches, active or revoked').waitFor();
    await inspect(page);
  });

  it('are revoked one at a time, or all of a creator', async () => {
    const [one, two, other] = [
      await creatorKey(under.app, 'cy', 'First of cy'),
      await creatorKey(under.app, 'cy', 'Second of cy'),
      await creatorKey(under.app, 'di', 'Key of di'),
    ];
    const works = async (key: string) => (await under.app.send('/listProducts', { apiKey: key })).status === 200;
    const page = await under.open({ at: '/keys?creator=cy' });
    await choose(page, 'Actions of First of cy', 'Revoke');
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('row').filter({ hasText: 'First of cy' }).getByText('Revoked').waitFor();
    assert.deepEqual([await works(one), await works(two), await works(other)], [false, true, true]);
    await choose(page, 'More', "Revoke a creator's keys");
    await dialog(page).getByLabel('Creator').fill('cy');
    await dialog(page).getByRole('button', { name: 'Revoke all keys' }).click();
    await page.getByRole('row').filter({ hasText: 'Second of cy' }).getByText('Revoked').waitFor();
    assert.deepEqual([await works(two), await works(other)], [false, true]);
  });

  it("of the operator's people let them in with their role, until they are revoked", async () => {
    const page = await under.open({ at: '/keys?tab=people' });
    await page.getByText('No operator keys yet').waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'New operator key' }).click();
    await dialog(page).getByLabel('Name').fill('Lin');
    await dialog(page).getByLabel('Role').selectOption('Viewer');
    await dialog(page).getByText('Sees everything and changes nothing.').waitFor();
    await inspect(page);
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const key = (await dialog(page).getByRole('code').innerText()).trim();
    await dialog(page).getByLabel('I saved it').check();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row').filter({ hasText: 'Lin' }).getByText('Viewer').waitFor();
    await page.getByRole('row').filter({ hasText: 'Lin' }).getByText('Never').first().waitFor();
    const lin = await under.open({ secret: key, at: '/products' });
    await lin.getByRole('button', { name: 'Lin' }).waitFor();
    await choose(page, 'Actions of Lin', 'Revoke');
    await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('row').filter({ hasText: 'Lin' }).getByText('Revoked').waitFor();
    await inspect(page);
    await lin.reload();
    await lin.getByLabel('Secret or key').waitFor();
  });

  it("of the operator's people may have a last day, and show their last use", async () => {
    const page = await under.open({ at: '/keys?tab=people' });
    await page.getByRole('button', { name: 'New operator key' }).click();
    await dialog(page).getByLabel('Name').fill('Temp');
    const day = (ahead: number) => under.app.clock.at(ahead).slice(0, 10);
    await dialog(page)
      .getByLabel('Last day')
      .fill(day(-2 * DAY_MS));
    await dialog(page).getByText('That day is in the past.').waitFor();
    assert.ok(await dialog(page).getByRole('button', { name: 'Create key' }).isDisabled());
    await inspect(page);
    await dialog(page)
      .getByLabel('Last day')
      .fill(day(2 * DAY_MS));
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const key = (await dialog(page).getByRole('code').innerText()).trim();
    await dialog(page).getByLabel('I saved it').check();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    const { body } = await under.app.admin('/listOperatorKeys', { hash: hashOf(key) });
    assert.equal(body.keys[0].expiresAt, `${day(2 * DAY_MS)}T23:59:59.999Z`);
    await under.app.send('/createConsoleSession', { secret: key });
    await under.move(3 * DAY_MS);
    const later = await under.open({ at: '/keys?tab=people', device: 'phone', scheme: 'dark' });
    const row = later.getByRole('row').filter({ hasText: 'Temp' });
    await row.getByText('Ended').waitFor();
    await inspect(later);
    await later.getByRole('button', { name: 'Find a key' }).click();
    await dialog(later).getByLabel('Key or hash').fill(key);
    await later.keyboard.press('Enter');
    await dialog(later).getByText('It has ended and gives no access.').waitFor();
    await inspect(later);
  });

  it("of the operator's people that leaked are found, too, however long ago they were revoked", async () => {
    const { operatorKey, keyHash } = (await under.app.admin('/createOperatorKey', { name: 'Mo', role: 'support' }))
      .body;
    const page = await under.open({ at: '/keys?tab=people' });
    const find = async () => {
      await page.getByRole('button', { name: 'Find a key' }).click();
      await dialog(page).getByLabel('Key or hash').fill(operatorKey);
      await page.keyboard.press('Enter');
      await dialog(page).getByRole('alert').getByText('Mo, support').waitFor();
    };
    await find();
    await page.keyboard.press('Escape');
    await under.app.admin('/revokeOperatorKey', { keyHash });
    // An older version revoked keys without a time.
    await execute(under.app.database, `update operator_key set revoked_at = null where hash = '${keyHash}'`);
    await find();
    await dialog(page).getByText('The time of the revocation is not known.').waitFor();
    await inspect(page);
  });
});
