/**
 * Records the calls of a console tab in two minutes. A real browser opens the console and performs one action every ten
 * seconds, as a person at work would. Meanwhile the console refreshes its screen at its own intervals. The recorder
 * moves the page's clock, so recording takes some seconds.
 *
 * A round begins with the load of the console, so a tab that repeats it loads the console every two minutes. Every tab
 * is visible and in use, while a real tab in the background reads nothing: the load is an upper bound.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import type { Catalogue } from './catalogue.ts';
import { openWindow, signedIn } from './console-page.ts';
import { emailsIn } from './customer-addresses.ts';
import type { LatchkeyServer } from './latchkey.ts';

/** Seconds between two actions of the person. */
const PAUSE_SECONDS = 10;
/** Seconds by which the clock of the page moves before the recorder waits for answers. */
const STEP_SECONDS = 1;
/** Timeout for the answers to a step. */
const ANSWER_MS = 60_000;
/** Headers that belong to a connection or to one request. */
const HEADERS_NOT_REPEATED = /^(:|connection$|content-length$)/;

/** A call of the console. */
export interface RecordedCall {
  readonly path: string;
  /** The JSON text that the browser sent. */
  readonly body: string;
}

/** The calls that a tab repeats, in the order in which the browser sent them. */
export interface Round {
  /** The time of the person's work. */
  readonly lengthMs: number;
  /** The headers of every call, as the browser sent them, with the cookie of its session. */
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: readonly RecordedCall[];
}

type Action = (page: Page) => Promise<unknown>;

/** Follows a link of the console, which stays loaded. */
const opens =
  (address: string): Action =>
  (page) =>
    page.evaluate(`location.hash = ${JSON.stringify(`#${address}`)}`);

/** The person's actions in order, after the console has opened at the overview. */
function actionsOf(catalogue: Catalogue): readonly Action[] {
  const { licenseKey } = catalogue.license(catalogue.size - 1);
  const [email = ''] = emailsIn(catalogue, 1);
  return [
    opens('/licenses'),
    (page) => page.getByRole('button', { name: 'Next', exact: true }).click(),
    opens(`/licenses/${licenseKey}`),
    opens(`/licenses/${licenseKey}?tab=timeline`),
    (page) => page.keyboard.press('/'),
    (page) => page.getByRole('combobox', { name: 'Search' }).fill(email),
    (page) => page.keyboard.press('Enter'),
    opens('/violations'),
    opens('/activity'),
    opens('/activity?show=refusals'),
    opens('/seats'),
  ];
}

/**
 * Records one round of a person who signs in with the admin secret.
 *
 * @throws if no browser is installed, or if the service refuses a call
 */
export async function recordRound(
  { address, secrets }: Pick<LatchkeyServer, 'address' | 'secrets'>,
  catalogue: Catalogue,
): Promise<Round> {
  await using running = new AsyncDisposableStack();
  const origin = `https://localhost:${address.port}`;
  const page = await signedIn(await openWindow(running), origin, secrets.admin);
  const actions = actionsOf(catalogue);
  const lengthMs = (actions.length + 1) * PAUSE_SECONDS * 1000;
  // The round ends at the service's present: the service does not expect times in the future.
  const beginsAt = Date.now() - lengthMs;
  await page.goto(`${origin}/healthz`);
  await page.clock.install({ time: beginsAt });
  await page.clock.pauseAt(beginsAt + 1);
  const recorder = new Recorder(page);
  await page.goto(`${origin}/console/#/`);
  for (const action of [null, ...actions]) {
    await action?.(page);
    await recorder.pass(PAUSE_SECONDS);
  }
  return { lengthMs, headers: await recorder.headers(), calls: await recorder.calls() };
}

/** Records the calls of a page whose clock it moves. */
class Recorder {
  readonly #page: Page;
  readonly #sent: Request[] = [];
  readonly #underWay = new Set<Request>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => {
      this.#underWay.add(request);
      if (request.method() === 'POST') this.#sent.push(request);
    });
    page.on('requestfinished', (request) => this.#underWay.delete(request));
    page.on('requestfailed', (request) => this.#underWay.delete(request));
  }

  /** Lets seconds pass in the page, and waits for the answers to their calls. */
  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += STEP_SECONDS) {
      await this.#answers();
      await this.#page.clock.runFor(STEP_SECONDS * 1000);
    }
    await this.#answers();
  }

  /** The headers of the first call; the browser does not report those of an aborted call. */
  async headers(): Promise<Readonly<Record<string, string>>> {
    const headers = Object.entries(await this.#sent[0]!.allHeaders());
    return Object.fromEntries(headers.filter(([name]) => !HEADERS_NOT_REPEATED.test(name)));
  }

  async calls(): Promise<readonly RecordedCall[]> {
    return Promise.all(
      this.#sent.map(async (request) => {
        const path = new URL(request.url()).pathname;
        const response = await request.response();
        // The console aborts calls that it no longer needs; the service has received them nevertheless.
        if (response?.ok() === false) throw new Error(`${path} was answered ${response.status()} to the browser`);
        return { path, body: request.postData() ?? '' };
      }),
    );
  }

  /** Waits until no call is under way and the page has processed every answer. */
  async #answers(): Promise<void> {
    const deadlineMs = performance.now() + ANSWER_MS;
    for (let quietTurns = 0; quietTurns < 3; ) {
      await this.#page.evaluate(() => {});
      await sleep(10);
      quietTurns = this.#underWay.size === 0 ? quietTurns + 1 : 0;
      if (performance.now() > deadlineMs) throw new Error('the service does not answer the console');
    }
  }
}
