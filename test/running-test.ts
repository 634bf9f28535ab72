/**
 * node:test for a lane. By itself, node:test follows every promise, timer and socket back to its test, to find the test
 * of an error that nobody catches. That takes a tenth of the CPU time of a lane. Here, V8 carries the test along
 * (AsyncLocalStorage).
 */
import hooks, { type AsyncHook, AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks';

const { createHook, executionAsyncId } = hooks;
/** The number of the test, suite or hook whose function runs. */
const running = new AsyncLocalStorage<number>();

function followTests({ init }: HookCallbacks): AsyncHook {
  return createHook({
    init(asyncId, type, triggerAsyncId, resource) {
      if (type !== 'Test') return;
      init?.(asyncId, type, triggerAsyncId, resource);
      const test = resource as AsyncResource;
      test.runInAsyncScope = (work, thisArg, ...args) =>
        AsyncResource.prototype.runInAsyncScope.call(test, () =>
          running.run(asyncId, () => Reflect.apply(work, thisArg, args)),
        ) as ReturnType<typeof work>;
    },
    trackPromises: false,
  });
}

// node:test keeps the two functions that it finds when it is loaded.
Object.assign(hooks, { createHook: followTests, executionAsyncId: () => running.getStore() ?? executionAsyncId() });
export const { after, describe, it } = await import('node:test');
Object.assign(hooks, { createHook, executionAsyncId });
