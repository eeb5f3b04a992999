import { AsyncResource, createHook } from "node:async_hooks";

// node:test notes for every promise which test made it, to know whose an error is that nobody catches. That makes a
// promise cost ten times as much. Imported before node:test, this finds the hook that does it.

type Hook = ReturnType<typeof createHook>;

const hooks = new Set<Hook>();
const prototype: Hook = Object.getPrototypeOf(createHook({}));
const { enable } = prototype;
prototype.enable = function enableAndNote(this: Hook): Hook {
  hooks.add(this);
  return enable.call(this);
};

/**
 * From now on node:test follows timers, sockets and the like, but no promises: what goes on after an `await` belongs to
 * the test that began last. Where Node has no hooks without promises, everything is followed as before.
 */
export function endPromiseTracking(): void {
  for (const hook of hooks) {
    const [withoutPromises, init] = [keyOf(hook, "kNoPromiseHook"), keyOf(hook, "init")];
    if (withoutPromises === undefined || init === undefined) continue;
    hook.disable();
    // What createHook() does for `trackPromises: false`.
    Reflect.set(hook, withoutPromises, true);
    hook.enable();
    onTestBegin((test) => Reflect.get(hook, init)(UNFOLLOWED, "PROMISE", test.asyncId(), {}));
  }
}

/** What Node says is running after an `await` whose promise no hook follows. */
const UNFOLLOWED = 0;

const keyOf = (hook: Hook, description: string) =>
  Object.getOwnPropertySymbols(hook).find((key) => key.description === description);

/** A test runs in a scope of its own, as its hooks do. */
function onTestBegin(begins: (test: AsyncResource) => void): void {
  const { runInAsyncScope } = AsyncResource.prototype;
  AsyncResource.prototype.runInAsyncScope = function run(this: AsyncResource, ...args) {
    if (this.constructor.name === "Test") begins(this);
    return Reflect.apply(runInAsyncScope, this, args);
  };
}
