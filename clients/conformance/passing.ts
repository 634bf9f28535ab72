/** Lets time pass. */
import type { World } from './world.ts';

/** A playing, as far as time concerns it. */
interface Playing {
  /** The next moment at which an app of a machine acts; Infinity if none is planned. */
  readonly nextMomentAt: number;
  /** Lets one app of each machine act, if one is due at the present moment. */
  act(): Promise<void>;
  /** Makes every app look at the clock that has not done so since this time. */
  lookFrom(time: number): void;
  /** Whether an app has yet to look at the clock. */
  readonly isLooking: boolean;
}

/**
 * Moves the time of some playings together; each check on the way is made at its time. A playing that fails goes no
 * further. Each moment belongs to one app of a machine, so the end may come some milliseconds late: two that store the
 * same at the same moment notice each other only if their languages write it in other words.
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
  const going = () => plays.filter((_, index) => errors[index] === null);
  const actAt = (moment: number) => {
    world.now = moment;
    return Promise.all(
      plays.map(async (play, index) => {
        if (errors[index] !== null) return;
        await play.act().catch((error: Error) => {
          errors[index] = error.message;
        });
      }),
    );
  };
  const next = () => Math.min(...going().map(({ nextMomentAt }) => nextMomentAt));
  for (let moment = next(); moment <= end; moment = next()) await actAt(moment);
  for (const play of going()) play.lookFrom(end);
  world.now = Math.max(world.now, end - 1);
  while (going().some(({ isLooking }) => isLooking)) await actAt(next());
  world.now = Math.max(world.now, end);
  return errors;
}
