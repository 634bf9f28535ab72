/**
 * A random walk: steps drawn from a seed, played to the reference and to other clients at the same time. Each client
 * has a product, licenses and machines of its own; all share one service and one time.
 */
import { isDeepStrictEqual } from 'node:util';
import { APPS, Dice } from './dice.ts';
import type { Drivers } from './drivers.ts';
import { millisecondsOf } from './durations.ts';
import { BEGINNING, drawStep } from './kinds.ts';
import { passTime } from './passing.ts';
import { Play } from './play.ts';
import type { Step } from './scenario.ts';
import { isOfService, playOnService } from './service-steps.ts';
import type { World } from './world.ts';

/** A client on a walk. */
export interface Side {
  /** The language. */
  readonly name: string;
  readonly drivers: Drivers;
}

/** A side whose answers agree with the reference so far. */
interface Walker {
  readonly name: string;
  readonly play: Play;
}

/** How long the apps of a machine take to wake up, one after another. */
const WAKING_MS = 1000;

export class Walk {
  readonly #walkers: Walker[];
  readonly #dice: Dice;
  readonly #world: World;
  readonly #failures = new Map<string, string>();
  readonly #killed = new Set<string>();

  /** @param sides the reference, and the clients that are compared with it */
  constructor(world: World, sides: readonly Side[], seed: number) {
    this.#world = world;
    this.#walkers = sides.map(({ name, drivers }) => ({ name, play: new Play(world, drivers, true) }));
    this.#dice = new Dice(seed);
  }

  /**
   * Plays the steps. A side that differs from the reference goes no further.
   *
   * @returns the first difference of each side that has one, by its name
   */
  async run(steps: number): Promise<ReadonlyMap<string, string>> {
    try {
      for (const step of BEGINNING) await this.#all(step, 'the beginning');
      for (const app of APPS) await this.#all(this.#opening(app), 'the first start');
      for (let index = 0; index < steps && this.#walkers.length > 1; index++) {
        const step = this.#next();
        await this.#all(step, `step ${index + 1} of ${steps}, ${JSON.stringify(step)}`);
      }
    } finally {
      for (const { play } of this.#walkers) await play.end();
    }
    return this.#failures;
  }

  /** A killed app does nothing before it is opened again. */
  #next(): Step {
    const step = drawStep(this.#dice);
    if ('app' in step) return this.#killed.delete(step.app) ? this.#opening(step.app) : step;
    if ('open' in step) this.#killed.delete(step.open);
    if ('kill' in step) this.#killed.add(step.kill);
    return step;
  }

  #opening(app: string): Step {
    return { open: app, options: this.#dice.options() };
  }

  /** Plays a step at the same time on each side, and compares. Rejects if the reference fails. */
  async #all(step: Step, at: string): Promise<void> {
    const plays = this.#walkers.map(({ play }) => play);
    // No two steps come at the same moment, see passing.ts.
    this.#world.now += 1;
    const errors = await this.#play(step, plays);
    const [reference, ...others] = this.#walkers.map(({ name, play }, index) => ({
      name,
      play,
      trace: play.apps.trace.splice(0),
      error: errors[index] ?? null,
    }));
    if (reference === undefined) return;
    if (reference.error !== null) throw new Error(`${at}: ${reference.error}`);
    for (const { name, play, trace, error } of others) {
      const difference = error ?? firstDifference(trace, reference.trace);
      if (difference === null) continue;
      this.#failures.set(name, `${at}: ${difference}`);
      this.#walkers.splice(
        this.#walkers.findIndex((walker) => walker.play === play),
        1,
      );
      await play.end();
    }
  }

  #pass(plays: readonly Play[], milliseconds: number): Promise<readonly (string | null)[]> {
    return passTime(
      plays.map(({ apps }) => apps),
      this.#world,
      milliseconds,
    );
  }

  /** Returns the error of each play; null without one. */
  async #play(step: Step, plays: readonly Play[]): Promise<readonly (string | null)[]> {
    const { pass, sleep } = step as { readonly pass?: string; readonly sleep?: string };
    if (pass !== undefined) return this.#pass(plays, millisecondsOf(pass));
    if (isOfService(step)) {
      await playOnService(this.#world, step);
      return [];
    }
    if (sleep !== undefined) {
      if (!this.#dice.countsSleep) for (const { apps } of plays) apps.sleepFor(millisecondsOf(sleep));
      this.#world.now += millisecondsOf(sleep);
      return this.#pass(plays, WAKING_MS);
    }
    return Promise.all(
      plays.map((play) =>
        play.step(step).then(
          () => null,
          (error: Error) => error.message,
        ),
      ),
    );
  }
}

/** The first answer that differs from the reference's; null without one. */
function firstDifference(trace: readonly unknown[], reference: readonly unknown[]): string | null {
  for (const [index, awaited] of reference.entries())
    if (!isDeepStrictEqual(trace[index], awaited))
      return `\n${JSON.stringify(trace[index])}\n${JSON.stringify(awaited)} (the reference)`;
  return trace.length === reference.length ? null : `${trace.length} answers, not ${reference.length}`;
}
