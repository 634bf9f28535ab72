/** Lists of licenses as a selection: pasted lines, orders, ranges, all pages; and the actions on them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Creator } from '../../../server/test/support/creator.ts';
import { choose } from '../support/acts.ts';
import { hasCount } from '../support/count.ts';
import { inspect } from '../support/inspect.ts';
import { describeConsole } from '../support/open-console.ts';

const DAY = 86_400_000;

describeConsole('lists of licenses', (under) => {
  const licenseOf = async (licenseKey: string) => (await under.app.admin('/getLicense', { licenseKey })).body.license;
  const notesOf = async (licenseKey: string): Promise<string[]> => {
    const { body } = await under.app.admin('/listEvents', { licenseKey });
    const events: readonly { readonly type: string; readonly after: { readonly text: string } | null }[] = body.events;
    // A deleted note has no text.
    return events.flatMap(({ type, after }) => (type === 'license.noted' && after !== null ? [after.text] : []));
  };

  it('that somebody pastes become a selection: 200 lines, 13 unknown, 5 of others, 3 twice', async () => {
    const { app } = under;
    const [creator, other] = [await Creator.of(app), await Creator.of(app)];
    const [own, foreign] = [await creator.product(), await other.product()];
    const mine: string[] = [];
    for (let number = 0; number < 179; number++)
      mine.push(await creator.license(own, { email: `pasted${number}@example.com` }));
    const theirs: string[] = [];
    for (let number = 0; number < 5; number++) theirs.push(await other.license(foreign));
    const unknown = Array.from({ length: 13 }, (_, number) => `nobody${number}@example.com`);
    const lines = [...mine, ...theirs, ...unknown, ...mine.slice(0, 3)];
    assert.equal(lines.length, 200);

    const page = await under.open({ secret: creator.apiKey, at: '/licenses' });
    await page.getByRole('button', { name: 'Paste a list' }).click();
    const dialog = page.getByRole('dialog', { name: 'Paste a list' });
    await inspect(page);
    await dialog.getByLabel('List').fill(`"License key";"Note"\n${lines.map((line) => `"${line}"`).join('\n')}\nmore`);
    await dialog.getByText('201 lines; at most 200 at once.').waitFor();
    await dialog.getByLabel('List').fill(`License key\n${lines.map((line) => `"${line}"`).join('\n')}`);
    await dialog.getByText('200 lines').waitFor();
    await dialog.getByRole('button', { name: 'Find licenses' }).click();
    await dialog.getByText('179 lines found.').waitFor();
    await dialog.getByText('18 unknown.').waitFor();
    await dialog.getByText('3 repeated, which count once.').waitFor();
    await dialog.getByText('and 13 more').waitFor();
    await inspect(page);
    await dialog.getByRole('button', { name: 'Select 179 licenses' }).click();
    const bar = page.getByRole('region', { name: 'Selected licenses' });
    await bar.getByText('179 licenses selected, 129 not shown').waitFor();
    await page.waitForURL((url) => url.hash === '#/licenses?view=pasted');
    await page.getByRole('cell', { name: 'pasted49@example.com', exact: true }).waitFor();
    await inspect(page);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('cell', { name: 'pasted50@example.com', exact: true }).waitFor();

    await bar.getByRole('button', { name: 'Revoke', exact: true }).click();
    const revoking = page.getByRole('dialog', { name: 'Revoke 179 licenses' });
    await revoking.getByLabel('Reason').selectOption('fraud');
    await revoking.getByLabel('Note').fill('From the list of the bank');
    await revoking.getByLabel('Type 179 to confirm').fill('179');
    await inspect(page);
    await revoking.getByRole('button', { name: 'Revoke 179' }).click();
    await revoking.getByText('179 of 179 done.').waitFor();
    const { body } = await app.admin('/listLicenses', { productId: own, status: 'revoked', limit: 1000 });
    assert.equal(body.count, 179);
    for (const key of [mine[0]!, mine[178]!]) assert.deepEqual(await notesOf(key), ['From the list of the bank']);
    await revoking.getByRole('button', { name: 'Undo all 179' }).click();
    await page.getByRole('dialog', { name: /^Undo/ }).getByText('179 of 179 undone.').waitFor();
    const after = await app.admin('/listLicenses', { productId: own, status: 'active', limit: 1000 });
    assert.equal(after.body.count, 179);
    const strangers = await app.admin('/listLicenses', { productId: foreign, status: 'active' });
    assert.equal(strangers.body.count, 5);
    await page.reload();
    await page.getByText('No pasted list').waitFor();
    await inspect(page);
  });

  it('sort by the titles of their columns, take days and beginnings of addresses, and keep them in the address', async () => {
    const { app } = under;
    await app.admin('/createProduct', { slug: 'sorted', name: 'Sorted', creatorId: 'ada' });
    for (const [email, days] of [
      ['first@sorted.example', 30],
      ['second@sorted.example', 5],
      ['third@sorted.example', 9],
    ] as const) {
      await app.license({ email, productId: 'sorted', expiresAt: app.clock.at(days * DAY) });
      app.clock.move(1000);
    }
    await app.license({ email: 'endless@sorted.example', productId: 'sorted' });
    const page = await under.open({ at: '/licenses?product=sorted' });
    const addresses = async (expected: readonly string[]) => {
      await page
        .getByRole('row')
        .nth(1)
        .getByRole('cell', { name: `${expected[0]}@sorted.example`, exact: true })
        .waitFor();
      await hasCount(page.getByRole('row'), expected.length + 1);
      const cells = await page.getByRole('cell', { name: /@sorted\.example$/ }).allInnerTexts();
      assert.deepEqual(
        cells,
        expected.map((name) => `${name}@sorted.example`),
      );
    };
    await addresses(['endless', 'third', 'second', 'first']);
    const created = page.getByRole('columnheader', { name: 'Created' });
    const expires = page.getByRole('columnheader', { name: 'Expires' });
    assert.equal(await created.getAttribute('aria-sort'), 'descending');
    await created.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=oldest/);
    await addresses(['first', 'second', 'third', 'endless']);
    assert.equal(await created.getAttribute('aria-sort'), 'ascending');
    await expires.getByRole('button').click();
    await page.waitForURL(/sort=expiry/);
    await addresses(['second', 'third', 'first']);
    assert.equal(await expires.getAttribute('aria-sort'), 'ascending');
    await inspect(page);
    await page.reload();
    await addresses(['second', 'third', 'first']);
    await page.getByLabel('E-mail', { exact: true }).fill('SEC');
    await page.keyboard.press('Enter');
    await addresses(['second']);
    await page.getByLabel('E-mail', { exact: true }).fill('');
    await page.keyboard.press('Enter');
    await page.getByLabel('Created', { exact: true }).selectOption('..');
    await page.getByLabel('Created from').fill('2100-01-01');
    await page.getByText('No license fits.').waitFor();
    await page.waitForURL(/created=2100-01-01/);
    await page.getByLabel('Created from').fill('');
    await page.getByLabel('Created to').fill('2100-01-01');
    await addresses(['endless', 'third', 'second', 'first']);
    await inspect(page);
    const phone = await under.open({ at: '/licenses?product=sorted', device: 'phone', scheme: 'dark' });
    await phone.getByRole('button', { name: 'Filters (1)' }).click();
    await phone.getByLabel('Order').selectOption('expiry');
    await phone.waitForURL(/sort=expiry/);
    await inspect(phone);
  });

  it('of 1,234 licenses are selected whole, stopped, continued and undone, and the page answers meanwhile', async () => {
    const { app } = under;
    await app.admin('/createProduct', { slug: 'long', name: 'Long', creatorId: 'ada' });
    for (let from = 0; from < 1234; from += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, 1234 - from) }, (_, number) =>
          app.license({ email: `long${from + number}@example.com`, productId: 'long' }),
        ),
      );
    const page = await under.open({ at: '/licenses?product=long' });
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    const bar = page.getByRole('region', { name: 'Selected licenses' });
    await bar.getByRole('button', { name: 'Select all that fit' }).click();
    await bar.getByText('1,234 licenses selected, 1,184 not shown').waitFor();
    await inspect(page);
    await choose(page, 'More', 'Change limits…');
    const dialog = page.getByRole('dialog', { name: 'Change the limits of 1,234 licenses' });
    await dialog.getByLabel('Machines').fill('7');
    await dialog.getByLabel(/^Type 1,?234 to confirm/).fill('1234');
    await inspect(page);
    await dialog.getByRole('button', { name: 'Change 1,234' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText(/[\d,]+ changed, [\d,]+ not sent\./).waitFor();
    await dialog.getByText('and 1,034 more').waitFor();
    await inspect(page);
    await dialog.getByRole('button', { name: /^Go on with / }).click();
    await dialog.getByText('1,234 changed.').waitFor({ timeout: 120_000 });
    const { body } = await app.admin('/listLicenses', { productId: 'long', limit: 1000 });
    assert.ok(body.licenses.every(({ maxMachines }: { maxMachines: number }) => maxMachines === 7));
    await dialog.getByRole('button', { name: /^Undo all 1,?234/ }).click();
    await page.getByRole('dialog', { name: /^Undo/ }).getByText('1,234 of 1,234 undone.').waitFor({ timeout: 120_000 });
    const after = await app.admin('/listLicenses', { productId: 'long', limit: 1000 });
    assert.ok(after.body.licenses.every(({ maxMachines }: { maxMachines: number }) => maxMachines === 2));
  });

  it('take one note, and lose the machines that nobody has seen', async () => {
    const { app } = under;
    await app.admin('/createProduct', { slug: 'idle', name: 'Idle', creatorId: 'ada' });
    const keys: string[] = [];
    for (const email of ['one@idle.example', 'two@idle.example']) {
      const key = await app.license({ email, productId: 'idle' });
      keys.push(key);
      const [licenseKey, productId] = [key, 'idle'];
      for (const machine of ['old', 'new'])
        await app.send('/activate', { licenseKey, productId, machineFingerprint: machine, hostname: `${machine}-pc` });
    }
    app.clock.move(100 * DAY);
    for (const licenseKey of keys)
      await app.send('/activate', { licenseKey, productId: 'idle', machineFingerprint: 'new', hostname: 'new-pc' });
    const page = await under.open({ at: '/licenses?product=idle' });
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await choose(page, 'More', 'Write a note…');
    const noting = page.getByRole('dialog', { name: 'Write a note on 2 licenses' });
    await noting.getByLabel('Note').fill('Moved to the new office');
    await inspect(page);
    await noting.getByRole('button', { name: 'Write 2 notes' }).click();
    await noting.getByText('2 noted.').waitFor();
    for (const key of keys) assert.deepEqual(await notesOf(key), ['Moved to the new office']);
    await noting.getByRole('button', { name: 'Undo all 2' }).click();
    await page.getByRole('dialog', { name: /^Undo/ }).getByText('2 of 2 undone.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();

    await choose(page, 'More', 'Free idle machines…');
    const finding = page.getByRole('dialog', { name: 'Free idle machines of 2 licenses' });
    await finding.getByLabel('Not seen for').fill('365');
    await finding.getByRole('button', { name: 'Find idle machines' }).click();
    await finding.getByText('Every machine was seen within that time.').waitFor();
    await inspect(page);
    await finding.getByLabel('Not seen for').fill('90');
    await finding.getByRole('button', { name: 'Find idle machines' }).click();
    const freeing = page.getByRole('dialog', { name: 'Free 2 idle machines' });
    await freeing.getByLabel('Note').fill('Freed after the move');
    await inspect(page);
    await freeing.getByRole('button', { name: 'Free 2' }).click();
    await freeing.getByText('2 machines freed.').waitFor();
    for (const key of keys) {
      const { body } = await app.admin('/getLicense', { licenseKey: key });
      assert.deepEqual(
        body.activations.map(({ hostname }: { hostname: string }) => hostname),
        ['new-pc'],
      );
      assert.deepEqual(await notesOf(key), ['Freed after the move']);
    }
    assert.equal((await licenseOf(keys[0]!)).status, 'active');
  });
});
