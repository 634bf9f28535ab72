/** Load beside the driver's requests, in a separate process, so that its CPU time does not count for the servers. */
import { Child } from './child.ts';
import type { SideLoadOrder, SideLoadReport } from './messages.ts';
import { ERRORS_TOLD, type Errors } from './window.ts';

/** Load beside the driver's requests, only while its own server is measured. */
export interface SideLoad {
  begin(): Promise<void>;
  /** Resolves when none of its requests is under way. */
  end(): Promise<void>;
}

/** The durations of the tasks of one kind, in milliseconds, the shortest first. */
export type TimesOf = (kind: string) => readonly number[];

/** A process with a side load. */
export abstract class SideLoadProcess<Figures> implements SideLoad {
  protected readonly child: Child<SideLoadOrder, SideLoadReport>;
  #timesMs = new Map<string, number[]>();
  #errors: string[] = [];

  /**
   * @param module a module of this directory that calls `carryOutLoad` of side-load-work.ts
   * @param running stops the process
   */
  protected constructor(module: `./${string}.ts`, running: AsyncDisposableStack) {
    this.child = running.adopt(new Child<SideLoadOrder, SideLoadReport>(module), (each) => each.stop());
  }

  async begin(): Promise<void> {
    await this.child.ask({ kind: 'begin' }, 'began');
  }

  async end(): Promise<void> {
    const { timesMs, errors } = await this.child.ask({ kind: 'end' }, 'ended');
    for (const [kind, times] of Object.entries(timesMs))
      this.#timesMs.set(kind, [...(this.#timesMs.get(kind) ?? []), ...times]);
    this.#errors.push(...errors);
  }

  /** Returns the figures since the last call. */
  take(): Figures {
    const [timesMs, errors] = [this.#timesMs, this.#errors];
    [this.#timesMs, this.#errors] = [new Map(), []];
    return this.figuresOf((kind) => (timesMs.get(kind) ?? []).toSorted((a, b) => a - b), {
      count: errors.length,
      reported: errors.slice(0, ERRORS_TOLD),
    });
  }

  protected abstract figuresOf(timesOf: TimesOf, errors: Errors): Figures;
}
