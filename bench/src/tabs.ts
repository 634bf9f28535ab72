/** Open tabs of the console of a service, for measuring their cost to the calls of apps. */
import type { Address } from './connection.ts';
import { SideLoadProcess, type TimesOf } from './side-load.ts';
import type { Round } from './tab-round.ts';
import type { Errors } from './window.ts';

/** The largest number of tabs. */
export const MAX_TABS = 100;

/** Calls of tabs during the windows of their server, including the uncounted load before each window. */
export interface TabFigures {
  readonly calls: number;
  /** Time from a call to the last byte of its answer; null without a call. */
  readonly meanMs: number | null;
  readonly slowestMs: number | null;
  /** Answers other than a success. */
  readonly errors: Errors;
}

/** Tabs in a process of their own, which sends what a real browser sent before. */
export class Tabs extends SideLoadProcess<TabFigures> {
  readonly #count: number;

  /** @param running stops the process */
  constructor(count: number, running: AsyncDisposableStack) {
    super('./tab-calls.ts', running);
    this.#count = count;
  }

  /** Opens the tabs at the nodes in turn. They belong to one browser, and repeat what it sent in a round. */
  async open(addresses: readonly Address[], round: Round): Promise<void> {
    await this.child.ask({ kind: 'openTabs', tabs: this.#count, addresses, round }, 'ready');
  }

  protected override figuresOf(timesOf: TimesOf, errors: Errors): TabFigures {
    const callsMs = timesOf('call');
    return {
      calls: callsMs.length,
      meanMs: callsMs.length === 0 ? null : callsMs.reduce((sum, each) => sum + each, 0) / callsMs.length,
      slowestMs: callsMs.at(-1) ?? null,
      errors,
    };
  }
}
