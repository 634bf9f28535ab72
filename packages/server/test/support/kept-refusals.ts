/** Refusals are stored a moment after the reply. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, TestApp } from './app.ts';
import { mustSucceed } from './creator.ts';

/** Waits until this many refusals of a license can be read, repeats included, and returns its history, newest first. */
export async function historyWithRefusals(
  app: Pick<TestApp, 'admin'>,
  licenseKey: string,
  refusals: number,
): Promise<Answer['body'][]> {
  for (;;) {
    const { history } = await mustSucceed(app.admin('/getLicense', { licenseKey, history: true }));
    const kept = history.map(({ refusal }: Answer['body']) => refusal?.count ?? 0);
    if (kept.reduce((sum: number, count: number) => sum + count, 0) >= refusals) return history;
    await wait(10);
  }
}
