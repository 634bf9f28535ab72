/**
 * Every screen of a shop with some history, on a desktop and on a phone, in light and dark. Also makes most pictures in
 * docs/images: `npm run pictures` writes them.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { makeHistory, SETTINGS } from '../../../server/scripts/history/history.ts';
import { Outside } from '../../../server/scripts/history/outside.ts';
import { PAGE_PICTURES } from '../../../server/test/customers/self-service/sample-pages.ts';
import { TestClock } from '../../../server/test/support/app.ts';
import { smallPicture } from '../../../server/test/support/small-picture.ts';
import { inspect } from '../support/inspect.ts';
import { type ConsoleUnderTest, describeConsole, type OpenOptions } from '../support/open-console.ts';
import { SHOP_PICTURES } from '../support/shop-pictures.ts';
import { mustSucceed } from '../support/success.ts';

const IMAGES = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));
const PAGES = [
  ...['README.md', 'docs/shops/console.md', 'docs/shops/self-service.md', 'docs/shops/connectors.md'],
  'docs/shops/sellers/stripe.md',
];
const MAX_BYTES = 1_000_000;
/** A history of 90 days shows more but takes a minute; four days suffice for content on every screen. */
const isWriting = process.env.LATCHKEY_PICTURES === 'write';
const DAYS = isWriting ? 90 : 4;

interface Picture {
  readonly name: string;
  /** The address after the #. */
  at(console: ConsoleUnderTest): Promise<string>;
  /** Waits for the content of the picture. */
  ready(page: Page): Promise<unknown>;
  readonly looks: readonly Pick<OpenOptions, 'device' | 'scheme'>[];
  /** Prepares the page before it shows the screen. */
  arrange?(page: Page): Promise<unknown>;
}

const DAY = { device: 'desktop', scheme: 'light' } as const;
const NIGHT = { device: 'desktop', scheme: 'dark' } as const;
const PHONE = { device: 'phone', scheme: 'light' } as const;

const screen = (name: string, path: string, heading: string, looks: Picture['looks'] = [DAY]): Picture => ({
  name,
  at: async () => path,
  ready: (page) => page.getByRole('heading', { name: heading, level: 1 }).waitFor(),
  looks,
});

/** A license that is full and was tried on one more machine. */
async function refusedLicense({ app }: ConsoleUnderTest): Promise<string> {
  const { violations } = await mustSucceed(app.admin('/listViolations', { open: true, type: 'machine_limit' }));
  return `/licenses/${violations[0].licenseKey}`;
}

/** Shows system data of a shop instead of the test machine's. */
async function withoutThisMachine(page: Page): Promise<void> {
  await page.route('**/getSystem', async (route) => {
    const answer = await route.fetch();
    const { service, database, ...rest } = await answer.json();
    const shown = {
      ...rest,
      service: { ...service, hostname: 'licenses-1', memoryBytes: 121e6 },
      database: { ...database, location: '/var/lib/latchkey/latchkey.db', diskFreeBytes: 31e9, diskTotalBytes: 54e9 },
    };
    await route.fulfill({ response: answer, json: shown });
  });
  await page.reload();
}

const PICTURES: readonly Picture[] = [
  screen('overview', '/', 'Overview', [DAY, NIGHT, PHONE]),
  screen('licenses', '/licenses', 'Licenses', [DAY, PHONE]),
  {
    name: 'license',
    at: refusedLicense,
    ready: (page) => page.getByText('Why?').waitFor(),
    looks: [DAY, NIGHT, PHONE],
  },
  screen('violations', '/violations', 'Violations'),
  screen('seats', '/seats', 'Seats', [DAY, PHONE]),
  screen('activity', '/activity', 'Activity', [NIGHT]),
  screen('products', '/products', 'Products'),
  screen('codes', '/codes', 'Trial codes'),
  screen('orders', '/orders?creator=lumen-audio', 'Orders'),
  screen('keys', '/keys', 'Keys'),
  { ...screen('system', '/system', 'System'), arrange: withoutThisMachine },
];

const fileOf = ({ name }: Picture, { device, scheme }: Picture['looks'][number]) =>
  `${[name, ...(device === 'phone' ? ['phone'] : []), ...(scheme === 'dark' ? ['dark'] : [])].join('-')}.png`;

describeConsole(
  'a shop with a past',
  (console) => {
    for (const picture of PICTURES)
      it(`can be looked at everywhere: ${picture.name}`, async () => {
        for (const look of picture.looks) {
          const page = await console.open({ ...look, name: 'Ada', at: await picture.at(console) });
          await picture.arrange?.(page);
          await picture.ready(page);
          await page.waitForLoadState('networkidle');
          await inspect(page);
          await page.mouse.move(0, 0);
          if (!isWriting) continue;
          const taken = await page.screenshot({ animations: 'disabled' });
          await writeFile(join(IMAGES, fileOf(picture, look)), smallPicture(taken));
        }
      });
  },
  SETTINGS,
  {},
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-shop-'));
    const outside = await Outside.open();
    await makeHistory({ directory, days: DAYS, seed: 'latchkey', end: new TestClock().now(), outside });
    await outside.close();
    return {
      database: { engine: 'sqlite', file: join(directory, 'latchkey.db') },
      remove: () => rm(directory, { recursive: true }),
    };
  },
);

describe('the pictures in the documents', () => {
  it('are those that are made here, and take less than 1 MB', async () => {
    const files = await readdir(IMAGES);
    const made = PICTURES.flatMap((picture) => picture.looks.map((look) => fileOf(picture, look)));
    made.push(...PAGE_PICTURES.map(({ file }) => file), ...Object.values(SHOP_PICTURES));
    assert.deepEqual(files.toSorted(), made.toSorted());
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(IMAGES, file))).size));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) < MAX_BYTES);
  });

  it('are shown, each of them somewhere', async () => {
    const texts = await Promise.all(PAGES.map((page) => readFile(join(IMAGES, '../..', page), 'utf8')));
    for (const file of await readdir(IMAGES))
      assert.ok(
        texts.some((text) => text.includes(`images/${file}`)),
        `${file} is shown nowhere`,
      );
  });
});
