/** Answers calls in the service's place, like a failing or busy service. */
import type { Page, Request } from 'playwright-core';
import { hasCount } from './count.ts';
import { inspect } from './inspect.ts';

/** The answer to a failing call. */
interface Failure {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly retryAfterSeconds?: number;
}

/** The answer of a service after an internal failure. */
const BROKEN: Failure = { status: 500, code: 'unexpected', error: 'Unexpected server failure' };

/** The answer of a busy service. */
export const busyFor = (retryAfterSeconds: number): Failure => ({
  status: 503,
  code: 'overloaded',
  error: 'The service is overloaded. Try again shortly.',
  retryAfterSeconds,
});

export interface FailingOptions {
  /** {@link BROKEN} by default. */
  readonly as?: Failure;
  /** The request ID in the answer; none by default. */
  readonly requestId?: string | ((request: Request) => string);
  /** Selects the calls that fail; all of them by default. The others reach the service. May wait before it decides. */
  readonly when?: (request: Request) => boolean | Promise<boolean>;
}

/** Makes calls of one endpoint fail. Returns a function that ends this. */
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
 * Makes the reads of a screen fail. Expects a message with the request ID, and recovery after "Try again".
 *
 * @param open triggers the reads
 * @param there waits for the content
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
  await hasCount(page.getByRole('alert'), 0);
}
