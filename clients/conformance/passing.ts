/** Lets time pass. */
import type { World } from './world.ts';

/** A playing, as far as time concerns it. */
interface Playing {
  /** The time at which the next check of an app is due; Infinity if none is planned. */
  readonly nextCheckAt: number;
  /**
   * Lets apps see the present time, and make the checks that are due.
   *
   * @param isWhole whether every app does; otherwise those with a due check, and the other apps of their machines
   */
  tick(isWhole: boolean): Promise<void>;
}

/**
 * Moves the time of some playings together; each check on the way is made at its time. A playing that fails goes no
 * further.
 *
 * @returns the error of each playing; null without one
 */
export async function passTime(
  plays: readonly Playing[],
  world: World,
  milliseconds: number,
): Promise<readonly (string | null)[]> {
  const end = world.now + milliseconds;
  const errors: (string | null)[] = plays.map(() => null);
  for (let isLast = false; !isLast; ) {
    const next = Math.min(...plays.map((play, index) => (errors[index] === null ? play.nextCheckAt : end + 1)));
    isLast = next > end;
    world.now = Math.min(next, end);
    await Promise.all(
      plays.map(async (play, index) => {
        if (errors[index] !== null) return;
        await play.tick(isLast).catch((error: Error) => {
          errors[index] = error.message;
        });
      }),
    );
  }
  return errors;
}
