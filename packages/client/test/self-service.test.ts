/**
 * Customers in a real browser: from a link to a freed computer, on both engines, in every language, on a narrow phone.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { TEXTS } from '../../server/src/customers/self-service/pages/texts/languages.ts';
import { LANGUAGES, type Language } from '../../server/src/customers/self-service/shapes.ts';
import { HOSTILE } from '../../server/test/customers/self-service/sample-pages.ts';
import { linkFor, SELF_SERVICE } from '../../server/test/customers/self-service/shop.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../server/test/support/browser.ts';
import { engines } from '../../server/test/support/databases.ts';
import { assertFaultless, excessWidthOf, openPage } from '../../server/test/support/inspect-page.ts';
import { historyWithRefusals } from '../../server/test/support/kept-refusals.ts';
import { MailServer } from '../../server/test/support/mail-server.ts';
import { HOUR_MS, Machine, World } from './support/world.ts';

const program = await findBrowser();
const PHONE = { width: 320, height: 640 };
/** Most customers have JavaScript, and none needs it. */
const WITHOUT_SCRIPT: BrowserContextOptions = { javaScriptEnabled: false, viewport: PHONE, ignoreHTTPSErrors: true };

describe('customers in a browser', { skip: program === null && NO_BROWSER }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser(program!);
  });
  after(() => browser.close());

  for (const engine of engines)
    describe(`on ${engine}`, () => {
      const languages = engine === 'sqlite' ? LANGUAGES : (['en'] as const);
      let mails: MailServer;
      let world: World;
      let customers: Mover[];
      before(async () => {
        mails = await MailServer.start();
        const smtp = {
          LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
          LATCHKEY_MAIL_FROM: 'licenses@example.com',
        };
        world = await World.start({ ...SELF_SERVICE, ...smtp }, engine);
        customers = await makeMovers(world, [
          ...languages.map(() => 'Old laptop'),
          `Old laptop ${HOSTILE}`,
          'Old laptop',
        ]);
      });
      after(async () => {
        await world.stop();
        await mails.close();
      });

      /** Opens a link of the service under the address at which the test reaches it. */
      const openLink = async (page: Page, link: string) => {
        const { pathname, search } = new URL(link);
        await page.goto(`https://127.0.0.1:${world.server.port}${pathname}${search}`);
      };

      for (const [index, language] of languages.entries())
        it(`free "Old laptop" without JavaScript in ${language}, and the app on "New laptop" is licensed`, async () => {
          const mover = customers[index]!;
          const context = await browser.newContext({ ...WITHOUT_SCRIPT, locale: language });
          const page = await context.newPage();
          await openLink(page, await linkFor(world.server, mover));
          const inspect = async () => assert.equal(await excessWidthOf(page), 0, page.url());
          await useLink(page, language, inspect);
          await freeOldLaptop(page, language, inspect);
          await assertMoved(mover);
          await context.close();
        });

      it('sign in with a code from a mail', async () => {
        const mover = customers.at(-1)!;
        const context = await browser.newContext({ ...WITHOUT_SCRIPT, locale: 'de' });
        const page = await context.newPage();
        const { ask, code: entry } = TEXTS.de;
        await page.goto(`https://127.0.0.1:${world.server.port}/my`);
        await page.getByLabel(ask.field.label).fill(` ${mover.email.toUpperCase()} `);
        await page.getByRole('button', { name: ask.field.button }).click();
        await page.getByRole('heading', { name: entry.title, level: 1 }).waitFor();
        const [received] = await mails.hasReceived(1);
        assert.deepEqual(received?.to, [mover.email]);
        const code = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(received?.mail.text ?? '')?.[0] ?? '';
        await page.getByLabel(entry.field.label).fill(code.toLowerCase().replace('-', ' '));
        await page.getByRole('button', { name: entry.field.button }).click();
        await freeOldLaptop(page, 'de', async () => assert.equal(await excessWidthOf(page), 0, page.url()));
        await assertMoved(mover);
        await context.close();
      });

      if (engine === 'sqlite')
        it('see pages without a fault, with JavaScript as well', async () => {
          const mover = customers.at(-2)!;
          const link = new URL(await linkFor(world.server, mover));
          const window = { viewport: PHONE, colorScheme: 'dark', locale: 'en' } as const;
          const open = await openPage(
            browser,
            `https://127.0.0.1:${world.server.port}${link.pathname}${link.search}`,
            window,
          );
          await useLink(open.page, 'en', () => assertFaultless(open));
          await freeOldLaptop(open.page, 'en', () => assertFaultless(open));
          await assertMoved(mover);
          await open.page.context().close();
        });
    });
});

/** Presses the button of a link. `inspect` sees the page. */
async function useLink(page: Page, language: Language, inspect: () => Promise<void>): Promise<void> {
  const { title, button } = TEXTS[language].link;
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  await inspect();
  await page.getByRole('button', { name: button }).click();
}

/** The way of a signed-in customer to a freed computer, by the words of the pages. `inspect` sees every page. */
async function freeOldLaptop(page: Page, language: Language, inspect: () => Promise<void>): Promise<void> {
  const texts = TEXTS[language];
  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
  await heading(texts.licenses.title).waitFor();
  await inspect();
  await page.locator('.cards a.button').first().click();
  await page.getByText(/“New laptop”|„New laptop“|« New laptop »|«New laptop»/).waitFor();
  await inspect();
  await page.locator('.device a.button').click();
  await page.getByRole('button', { name: texts.release.button }).waitFor();
  assert.match((await page.getByRole('heading', { level: 1 }).textContent()) ?? '', /Old laptop/);
  await inspect();
  await page.getByRole('button', { name: texts.release.button }).click();
  await page.getByText(texts.release.done).waitFor();
  assert.equal(await page.locator('.device').count(), 0);
  await inspect();
  await page.getByRole('button', { name: texts.session.signOut }).click();
  await page.getByText(texts.session.signedOut).waitFor();
  await inspect();
}

/** The app on the new computer is let in, and the one on the old computer is not any more. */
async function assertMoved({ licenseKey, oldLaptop, newLaptop }: Mover): Promise<void> {
  assert.equal((await newLaptop.app.activate(licenseKey)).status, 'licensed');
  assert.notEqual((await oldLaptop.app.check()).status, 'licensed');
}

/** A customer who moves to another computer, with an app on both. */
interface Mover {
  readonly email: string;
  readonly licenseKey: string;
  readonly oldLaptop: Machine;
  readonly newLaptop: Machine;
}

let movers = 0;

/**
 * Makes customers whose license is for one computer: the old one has it for more than an hour, the new one is refused.
 *
 * @param oldNames the name of each customer's old computer
 */
async function makeMovers(world: World, oldNames: readonly string[]): Promise<Mover[]> {
  const made: Mover[] = [];
  for (const oldName of oldNames) {
    movers += 1;
    const email = `mover-${movers}@example.com`;
    const licenseKey = await world.server.license({ email, maxMachines: 1 });
    const oldLaptop = new Machine(world, oldName);
    const newLaptop = new Machine(world, 'New laptop');
    assert.equal((await (await oldLaptop.start()).activate(licenseKey)).status, 'licensed');
    made.push({ email, licenseKey, oldLaptop, newLaptop });
  }
  world.server.clock.move(HOUR_MS + 1);
  for (const { newLaptop, licenseKey } of made)
    await assert.rejects((await newLaptop.start()).activate(licenseKey), { code: 'machine_limit' });
  // The page shows refusals once they are stored.
  for (const { licenseKey } of made) await historyWithRefusals(world.server, licenseKey, 1);
  return made;
}
