/** Resources that the files of a lane share, such as a browser: they are closed after its last file. */

const closings: (() => Promise<unknown>)[] = [];
let isLane = false;

/** Called by a lane before its first file. */
export function beginLane(): void {
  isLane = true;
}

/** Closes the shared resources. Called by a lane after its last file. */
export async function endLane(): Promise<void> {
  for (const close of closings.splice(0)) await close();
}

/**
 * Hands a resource over to the lane, which closes it at its end.
 *
 * @returns false in a process of a single file, which closes its resources itself
 */
export function closeWithLane(close: () => Promise<unknown>): boolean {
  if (isLane) closings.push(close);
  return isLane;
}
