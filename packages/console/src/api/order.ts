/**
 * The order of a screen's requests: first its main content, then secondary reads, for example the choices of a filter.
 * The first figures appear sooner and after fewer requests.
 */

let notInSight = 0;
let waiting: (() => void)[] = [];
let second: (() => Promise<unknown>) | undefined;
let wasInSight: () => void;
const inSight = new Promise<void>((resolve) => {
  wasInSight = resolve;
});
let wasFirstSeen: () => void;
const firstSeen = new Promise<void>((resolve) => {
  wasFirstSeen = resolve;
});

/** Registers main content. Call the returned function when the content is in sight or no longer wanted. */
export function goFirst(): () => void {
  notInSight += 1;
  return () => {
    notInSight -= 1;
    // Further main content of the same screen registers within this turn.
    queueMicrotask(goOn);
  };
}

/** Registers a load that runs once, when main content is in sight. Secondary requests wait for it. */
export function goSecond(load: () => Promise<unknown>): void {
  second = load;
}

function goOn(): void {
  if (notInSight > 0) return;
  wasInSight();
  if (second !== undefined) {
    const done = goFirst();
    second().then(done, done);
    second = undefined;
    return;
  }
  wasFirstSeen();
  const released = waiting;
  waiting = [];
  for (const each of released) each();
}

/** Resolves when all main content is in sight. */
export async function afterFirst(): Promise<void> {
  // Main content of the same screen registers within this turn.
  await new Promise((resolve) => setTimeout(resolve));
  while (notInSight > 0) await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Resolves when main content is in sight for the first time since the page was loaded, before secondary requests. */
export function afterFirstSight(): Promise<void> {
  return inSight;
}

/** Resolves when secondary requests may be sent for the first time since the page was loaded. */
export function afterFirstOfAll(): Promise<void> {
  return firstSeen;
}
