/** `npm start` in a terminal, in a fresh checkout without data, as a newcomer runs it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { makeCheckout } from '../../../server/test/pages/fresh-checkout.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../../server/test/support/browser.ts';
import { processEnvironment } from '../../../server/test/support/process-environment.ts';
import { Windows } from './windows.ts';

const program = await findBrowser();

/** The service prints its sign-in link at a terminal only, which `script` of util-linux is. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;
/** Why the tests of newcomers are skipped; false where they run. */
export const ABSENT =
  program === null ? NO_BROWSER : hasTerminal ? false : 'no terminal: install `script` of util-linux to run it';

/** A service that a person started at a terminal. */
export interface Started {
  readonly link: string;
  readonly pid: number;
}

/** Waits for the lines that a terminal shows after the start. */
function startIn(terminal: ChildProcess): Promise<Started> {
  return new Promise((resolve, reject) => {
    let shown = '';
    terminal.stdout!.setEncoding('utf8').on('data', (more: string) => {
      shown += more;
      const [, pid] = /"pid":(\d+),"event":"service\.started"/.exec(shown) ?? [];
      const [, link] = /^\s+(https:\S+sign-in\?code=[\w-]+)\s/m.exec(shown) ?? [];
      if (pid !== undefined && link !== undefined) resolve({ link, pid: Number(pid) });
    });
    terminal.once('exit', () => reject(new Error(`npm start has ended: ${shown}`)));
  });
}

/** A fresh checkout, whose console is that of this run. It is removed after the test. */
export async function freshCheckout(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-first-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const checkout = join(folder, 'latchkey');
  makeCheckout(checkout);
  await mkdir(join(checkout, 'packages/console'), { recursive: true });
  await cp(process.env.LATCHKEY_TEST_CONSOLE_FOLDER!, join(checkout, 'packages/console/dist'), { recursive: true });
  return checkout;
}

/** A window of a browser that closes after the test. */
export async function newWindow(context: TestContext): Promise<Page> {
  const browser = await openBrowser(program!);
  context.after(() => browser.close());
  return new Windows(browser).open({ device: 'desktop', scheme: 'light' }, true);
}

/** Runs `npm start` at a terminal in a checkout. It ends after the test. */
export async function startAtTerminal(
  context: TestContext,
  checkout: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const terminal = spawn('script', ['--quiet', '--return', '--flush', '--command', 'npm start', '/dev/null'], {
    cwd: checkout,
    env: { ...processEnvironment, HOME: checkout, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(terminal, 'exit');
  let pid = terminal.pid!;
  context.after(async () => {
    if (terminal.exitCode === null && terminal.signalCode === null) process.kill(pid, 'SIGTERM');
    await ended;
  });
  const started = await startIn(terminal);
  pid = started.pid;
  return started;
}
