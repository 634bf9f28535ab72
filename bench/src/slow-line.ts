/**
 * `npm run slow-line`: prints the time until a person sees something in the console over a slow line and on a slow
 * computer, as Chromium imitates both. README.md explains the figures.
 */
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { signedIn, startBrowser, WINDOW } from './console-page.ts';
import { startLatchkey } from './latchkey.ts';
import { count, option, valuesIn } from './option-values.ts';
import { certificateIn, runProgram } from './program.ts';
import { seed } from './seed.ts';
import { median } from './statistics.ts';

/** The line: 1.6 Mbit/s down, 0.75 up, and 150 ms to the service and back. */
const LINE = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** A quarter of this machine's speed. */
const CPU_SLOWDOWN = 4;
const LICENSES = 10_000;
/** Maximum time for a screen to appear. */
const PATIENCE_MS = 60_000;

/** The rows of a list, and a part of a license that comes with its data. */
const ROWS = 'tbody a[data-row-link]';
const LICENSE = '[role=tab]';

/** Resolves to the time since the page was asked for when an element is painted. */
const PAINTED = `
  globalThis.painted = (selector) =>
    new Promise((resolve) => {
      const look = () =>
        requestAnimationFrame(document.querySelector(selector) ? () => resolve(performance.now()) : look);
      look();
    });
`;

const OPTIONS = { rounds: option('rounds', '5', count(1, 20)) };

/** The figures of one round: milliseconds, and bytes as they crossed the line. */
interface Round {
  readonly listMs: number;
  /** A license that is opened at once, before its screen was loaded ahead. */
  readonly licenseMs: number;
  /** Another license, after that. */
  readonly nextMs: number;
  readonly bytes: number;
}

const GOALS: Readonly<Record<keyof Round, number>> = { listMs: 2_500, licenseMs: 500, nextMs: 500, bytes: 203_000 };

const USAGE = `Prints how long the console takes over 1.6 Mbit/s with a quarter of the CPU.

npm run slow-line -- [options]

  --rounds N   how often each is measured, 1 to 20 (5)
  --help       this text
`;

/** Signs in, and returns the cookies of the session as text. */
async function signIn(browser: Browser, origin: string, secret: string): Promise<string> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  await signedIn(context, origin, secret);
  const state = JSON.stringify(await context.storageState());
  await context.close();
  return state;
}

/** Opens the list of licenses with an empty cache, then a license of it. */
async function measureRound(browser: Browser, origin: string, state: string): Promise<Round> {
  const context = await browser.newContext({ ...WINDOW, storageState: JSON.parse(state) });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.addInitScript(PAINTED);
  const line = await slowDown(page);
  const bytes = countBytes(line);
  await page.goto(`${origin}/console/#/licenses`, { waitUntil: 'commit' });
  const listMs = await page.evaluate<number>(`painted('${ROWS}')`);
  const firstBytes = bytes();
  const licenseMs = await open(page, 0);
  await page.waitForLoadState('networkidle');
  await page.goBack();
  await page.evaluate(`painted('${ROWS}')`);
  await page.waitForLoadState('networkidle');
  const nextMs = await open(page, 1);
  await context.close();
  return { listMs, licenseMs, nextMs, bytes: firstBytes };
}

async function slowDown(page: Page): Promise<CDPSession> {
  const line = await page.context().newCDPSession(page);
  await line.send('Network.enable');
  await line.send('Network.emulateNetworkConditions', LINE);
  await line.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return line;
}

/** Counts the bytes of scripts, styles and the page, as they cross the line: compressed, with their headers. */
function countBytes(line: CDPSession): () => number {
  const files = new Set<string>();
  let bytes = 0;
  line.on('Network.responseReceived', ({ requestId, response }) => {
    if (new URL(response.url).pathname.startsWith('/console/')) files.add(requestId);
  });
  line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength;
  });
  return () => bytes;
}

/** The milliseconds from the press on a row until its license is painted, without the time that Playwright takes. */
function open(page: Page, row: number): Promise<number> {
  return page.evaluate<number>(
    `(() => {
      const begin = performance.now();
      document.querySelectorAll('${ROWS}')[${row}].click();
      return painted('${LICENSE}').then((end) => end - begin);
    })()`,
  );
}

await runProgram({
  usage: USAGE,
  readOptions: (args) => valuesIn(args, OPTIONS),
  async run({ rounds }, directory, running) {
    const database = { engine: 'sqlite', file: join(directory, 'latchkey.db') } as const;
    await seed(database, { licenses: LICENSES, withShop: true }, () => {});
    const { certificate } = await certificateIn(directory);
    const latchkey = await startLatchkey({ database, dataDirectory: directory, certificate, floatingTimeout: '1d' });
    running.defer(() => latchkey.stop());
    const browser = await startBrowser(running);
    const origin = `https://localhost:${latchkey.address.port}`;
    const state = await signIn(browser, origin, latchkey.secrets.admin);
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await measureRound(browser, origin, state));
    const isReached = (figure: keyof Round, title: string, unit: string) => {
      const values = measured.map((each) => each[figure]);
      const middle = median(values);
      const text = (value: number) => Math.round(value).toLocaleString('en');
      const spread = `${text(Math.min(...values))} to ${text(Math.max(...values))}`;
      process.stdout.write(`${title.padEnd(28)}${text(middle)} ${unit} (${spread}; goal: ${text(GOALS[figure])})\n`);
      return middle <= GOALS[figure];
    };
    return [
      isReached('listMs', 'first list', 'ms'),
      isReached('licenseMs', 'a license at once after it', 'ms'),
      isReached('nextMs', 'another license', 'ms'),
      isReached('bytes', 'files of the first list', 'bytes'),
    ].every(Boolean);
  },
});
