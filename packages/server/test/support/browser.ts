/**
 * A real Chromium for tests of pages: the one that CHROMIUM_PATH names, else the one in an npm package for Linux on
 * x64, else an installed one. The one from npm is the same on every machine and has no window: a journey takes 0.8 of
 * the CPU time that it takes in an installed Chromium.
 */
import { accessSync, constants, mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = [
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Without a sandbox, because tests may run as root; and without features that connect to anything but the page.
 * Self-signed certificates are accepted from the start: if they were accepted page by page, each new connection would
 * fail its first handshake and restart its request, and after several restarts the browser would give up
 * (ERR_TOO_MANY_RETRIES).
 */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--ignore-certificate-errors'],
];

/** Many times the time that unpacking takes on two busy cores. */
const UNPACKING_MS = 120_000;

/** Reason for skipping a test without a browser. */
export const NO_BROWSER =
  'no browser: install Chromium or Google Chrome, or name one in CHROMIUM_PATH; the one from npm is for Linux on x64 only';

/**
 * The program of the browser; null without one.
 *
 * @throws when CHROMIUM_PATH names a file that cannot be run
 */
export async function findBrowser(): Promise<string | null> {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== '') {
    accessSync(named, constants.X_OK);
    return named;
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') return INSTALLED.find(canRun) ?? null;
  const { default: carried } = await import('@sparticuz/chromium');
  return unpackAlone(() => carried.executablePath());
}

/**
 * The package unpacks its program into the folder of temporary files. A second process would find it half written, and
 * Linux starts no program that is open for writing (ETXTBSY).
 */
async function unpackAlone(unpack: () => Promise<string>): Promise<string> {
  const lock = join(tmpdir(), 'chromium.lock');
  const deadline = performance.now() + UNPACKING_MS;
  for (;;)
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (performance.now() > deadline) throw new Error(`${lock} stays: remove it, unless a browser is being unpacked`);
      await wait(50);
    }
  try {
    return await unpack();
  } finally {
    rmdirSync(lock);
  }
}

/**
 * Opens a browser without a display. The caller closes it.
 *
 * @param program the result of {@link findBrowser}
 */
export function openBrowser(program: string): Promise<Browser> {
  return chromium.launch({ executablePath: program, args: FLAGS });
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
