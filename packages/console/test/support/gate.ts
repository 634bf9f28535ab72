/** Requests that wait until a test lets them through. */

/** A gate before a request: it waits from the first call of `enter` until `open`. */
export function gate() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    /** Resolves when something waits. */
    reached: reached.promise,
    open: opened.resolve,
    async enter() {
      reached.resolve();
      await opened.promise;
    },
  };
}
