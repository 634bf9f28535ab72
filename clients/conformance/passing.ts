/** Lets time pass. */
import type { Play } from './play.ts';
import type { World } from './world.ts';

/** Moves the time of some playings together; each check on the way is made at its time. */
export async function passTime(plays: readonly Play[], world: World, milliseconds: number): Promise<void> {
  const end = world.now + milliseconds;
  for (let isLast = false; !isLast; ) {
    const next = Math.min(...plays.map((play) => play.nextCheckAt));
    isLast = next > end;
    world.now = Math.min(next, end);
    for (const play of plays) await play.tick(isLast);
  }
}
