/**
 * The console for journeys: a real browser, a real service in the test's own process on a clock that the test moves,
 * and a fresh build of the console. Without a browser, the journeys are skipped with a message.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { closeWithLane } from '../../../../test/lane-end.ts';
import type { Bounds } from '../../../server/src/runtime/service/server.ts';
import { ADMIN_SECRET, startApp, type TestApp } from '../../../server/test/support/app.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../../server/test/support/browser.ts';
import { freshDatabase } from '../../../server/test/support/databases.ts';
import { fixedPort } from '../../../server/test/support/fixed-port.ts';
import type { TestDatabase } from '../../../server/test/support/test-database.ts';
import { ENGINE } from './engine.ts';
import { type Look, Windows } from './windows.ts';

/** The window of a journey. */
export interface OpenOptions {
  /** The secret or key to sign in with; the admin secret by default, null to stay signed out. */
  readonly secret?: string | null;
  /** The person's name, for the activity log. */
  readonly name?: string;
  /** The first address, after the #. */
  readonly at?: string;
  readonly device?: Look['device'];
  readonly scheme?: Look['scheme'];
  /** For a new window. */
  readonly locale?: string;
  /** For a new window. */
  readonly timeZone?: string;
  /** Whether the browser's cache is empty, for tests that count requests. */
  readonly isNew?: boolean;
}

/** The console of one test file. */
export interface ConsoleUnderTest {
  readonly app: TestApp;
  /** `https://localhost:PORT` */
  readonly origin: string;
  /** Opens a separate window without any earlier state, and signs in. */
  open(options?: OpenOptions): Promise<Page>;
  /** Moves the clocks of the service and of all open pages by some milliseconds, without firing the timers of pages. */
  move(milliseconds: number): Promise<void>;
  /** Lets some milliseconds pass everywhere, and fires the timers of pages. */
  pass(milliseconds: number): Promise<void>;
}

/** On PostgreSQL, destinations and customers' pages need it. */
const SECRETS = { LATCHKEY_SECRETS_KEY: 'a-secrets-key-of-the-tests' };

const program = await findBrowser();

type Environment = Readonly<Record<string, string>>;

/** A browser, its windows, and the port of every console that they show. */
interface Desk {
  readonly windows: Windows;
  readonly port: number;
  close(): Promise<void>;
}

let desk: Promise<Desk> | undefined;
let isOfLane = false;

/**
 * The browser and windows of this process. The files of a lane share them, and their services follow each other on one
 * port, because a window that stays at one address keeps the compiled console.
 */
function sharedDesk(): Promise<Desk> {
  if (desk === undefined) {
    desk = openDesk();
    isOfLane = closeWithLane(closeDesk);
  }
  return desk;
}

async function openDesk(): Promise<Desk> {
  const browser = await openBrowser(program!);
  return { windows: new Windows(browser), port: await fixedPort(), close: () => browser.close() };
}

async function closeDesk(): Promise<void> {
  await (await desk)?.close();
  desk = undefined;
}

/**
 * Describes journeys with one service. `environment` adds to its configuration, of the origin of the console where it
 * is a function; `bounds` replaces limits that are not
 * configurable. The database is an empty one of {@link ENGINE} unless `makeDatabase` makes another one.
 *
 * Use the argument within tests only, because the service starts before the first of them.
 */
export function describeConsole(
  name: string,
  journeys: (console: ConsoleUnderTest) => void,
  environment: Environment | ((origin: string) => Promise<Environment>) = {},
  bounds: Partial<Bounds> = {},
  makeDatabase?: () => Promise<TestDatabase>,
): void {
  describe(name, { skip: program === null && NO_BROWSER }, () => {
    let app: TestApp;
    let database: TestDatabase;
    let windows: Windows;
    let agent: string | undefined;
    before(async () => {
      const consoleFolder = process.env.LATCHKEY_TEST_CONSOLE_FOLDER;
      assert.ok(consoleFolder, 'the console was not built: run the tests with test/support/global-setup.ts');
      database = await (makeDatabase?.() ?? freshDatabase(ENGINE));
      const { port, ...shared } = await sharedDesk();
      windows = shared.windows;
      const added = typeof environment === 'function' ? await environment(`https://localhost:${port}`) : environment;
      const settings = { PORT: String(port), ...SECRETS, ...added };
      app = await startApp(database.database.engine, settings, database, { ...bounds, consoleFolder });
    });
    after(async () => {
      if (!isOfLane) await closeDesk();
      await app?.stop();
      await database?.remove();
    });
    // An unused page would go on with its reads.
    afterEach(() => windows.takeBack());
    const under: ConsoleUnderTest = {
      get app() {
        return app;
      },
      get origin() {
        return `https://localhost:${app.port}`;
      },
      async open(options = {}) {
        const { secret = ADMIN_SECRET, name: person, at = '/', isNew = false } = options;
        const page = await windows.open({ device: 'desktop', scheme: 'light', ...options }, isNew);
        await page.clock.setSystemTime(app.clock.now());
        if (secret === null) {
          await page.goto(`${under.origin}/console/`);
          await page.getByLabel('Secret or key').waitFor();
          return page;
        }
        agent ??= await page.evaluate(() => navigator.userAgent);
        await page.context().addCookies([await sessionCookie(under, agent, secret, person)]);
        await page.goto(`${under.origin}/console/#${at}`);
        await page.getByRole('main').waitFor();
        return page;
      },
      async move(milliseconds) {
        app.clock.move(milliseconds);
        await Promise.all(windows.pages.map((page) => page.clock.setSystemTime(app.clock.now())));
      },
      async pass(milliseconds) {
        app.clock.move(milliseconds);
        await Promise.all(windows.pages.map((page) => page.clock.fastForward(milliseconds)));
      },
    };
    journeys(under);
  });
}

/** Signs in like the form but without its clicks, before the page is loaded: for journeys about something else. */
async function sessionCookie(
  { app, origin }: ConsoleUnderTest,
  agent: string,
  secret: string,
  name: string | undefined,
) {
  const headers = { 'x-latchkey-console': '1', 'user-agent': agent };
  const body = { secret, ...(name === undefined ? {} : { name }) };
  const answer = await app.send('/createConsoleSession', body, { headers });
  assert.equal(answer.status, 200, 'signing in was refused');
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  const [, key, value] = /^([^=]+)=([^;]+)/.exec(cookie) ?? [];
  assert.ok(key !== undefined && value !== undefined, `no cookie: ${cookie}`);
  return { name: key, value, url: origin, secure: true, httpOnly: true, sameSite: 'Strict' as const };
}
