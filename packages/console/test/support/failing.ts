/** Calls that are answered in the service's place, as by one that fails or has too much to do. */
import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import { inspect } from './inspect.ts';

/** How a call is answered that does not succeed. */
interface Failure {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly retryAfterSeconds?: number;
}

/** As a service answers that failed itself. */
const BROKEN: Failure = { status: 500, code: 'unexpected', error: 'Unexpected server failure' };

/** As a service answers that has too much to do. */
export const busyFor = (retryAfterSeconds: number): Failure => ({
  status: 503,
  code: 'overloaded',
  error: 'The service is overloaded. Try again shortly.',
  retryAfterSeconds,
});

export interface FailingOptions {
  /** {@link BROKEN} unless given. */
  readonly as?: Failure;
  /** The number of the request; none unless given. */
  readonly requestId?: string | ((request: Request) => string);
  /** Which calls fail; all of them unless given. The others reach the service. May wait before it decides. */
  readonly when?: (request: Request) => boolean | Promise<boolean>;
}

/** Makes calls of one endpoint fail from now on. Answers what ends it. */
export async function failing(page: Page, path: string, options: FailingOptions = {}): Promise<() => void> {
  const { as: failure = BROKEN, requestId, when = () => true } = options;
  let isOver = false;
  await page.route(`**${path}`, async (route) => {
    if (isOver || !(await when(route.request()))) return route.continue();
    const id = typeof requestId === 'function' ? requestId(route.request()) : requestId;
    await route.fulfill({
      status: failure.status,
      headers: {
        'latchkey-code': failure.code,
        ...(failure.retryAfterSeconds === undefined ? {} : { 'retry-after': String(failure.retryAfterSeconds) }),
        ...(id === undefined ? {} : { 'x-request-id': id }),
      },
      json: { success: false, error: failure.error },
    });
  });
  return () => {
    isOver = true;
  };
}

/**
 * Lets what a screen reads fail, sees that it says so with the number of the request, and that it goes on once the service
 * is there again and somebody presses "Try again".
 *
 * @param open makes the screen read
 * @param there waits for what was read
 */
export async function seeFailureAndGoOn(
  page: Page,
  path: string,
  open: () => Promise<unknown>,
  there: () => Promise<unknown>,
): Promise<void> {
  const mend = await failing(page, path, { requestId: 'req-of-the-failure' });
  await open();
  await page.getByRole('alert').getByText('req-of-the-failure').waitFor();
  await inspect(page);
  mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await there();
  assert.equal(await page.getByRole('alert').count(), 0);
}
