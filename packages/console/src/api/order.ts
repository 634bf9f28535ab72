/**
 * In which order a screen asks: first for what it is opened for, then for what stands beside that, such as the choices of a
 * filter. The first figures are then seen sooner, and after fewer requests.
 */

let notInSight = 0;
let waiting: (() => void)[] = [];
let wasFirstSeen: () => void;
const firstSeen = new Promise<void>((resolve) => {
  wasFirstSeen = resolve;
});

/** Says that something goes first. The answer is called once it is in sight, or is not wanted any more. */
export function goFirst(): () => void {
  notInSight += 1;
  return () => {
    notInSight -= 1;
    if (notInSight > 0) return;
    wasFirstSeen();
    const released = waiting;
    waiting = [];
    for (const each of released) each();
  };
}

/** Ends when all is in sight that goes first. */
export async function afterFirst(): Promise<void> {
  // Whatever goes first on the same screen says so within this turn.
  await new Promise((resolve) => setTimeout(resolve));
  while (notInSight > 0) await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Ends when something that goes first is in sight for the first time since the page was loaded. */
export function afterFirstOfAll(): Promise<void> {
  return firstSeen;
}
