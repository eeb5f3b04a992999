import type { FrameBounds, FrameToPage, PageToFrame } from "@backplane/contract/panels";
import type { CodeHead } from "../prepare/prepare-code.ts";
import type { Inspect } from "./inspect-value.ts";
import type { FrameWindow, Natives } from "./natives.ts";

type Tools = {
  natives: Natives;
  inspect: Inspect;
  toJson: (value: unknown) => string | undefined;
  post: (message: FrameToPage) => void;
  guard: { begin(maxBlockMs: number | null): void };
  bounds: FrameBounds;
};

/** Makes global names for what the code declares. Accessors of the page become plain names, as `let` in a console hides them. */
export function createDeclare(frame: FrameWindow, natives: Natives) {
  const { hasOwn, defineProperty, getOwnPropertyDescriptor, create } = natives;
  return function declare(names: readonly string[]): void {
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i] as string;
      const found = getOwnPropertyDescriptor(frame, name);
      if (found && hasOwn(found, "value") && found.writable) continue;
      const entry = create(null);
      entry.value = found && hasOwn(found, "value") ? found.value : undefined;
      entry.writable = entry.enumerable = entry.configurable = true;
      defineProperty(frame, name, entry);
    }
  };
}

/** Runs code in the global scope. Several calls may run at once: each is answered by its number. */
export function createRunCode(frame: FrameWindow, { natives, inspect, toJson, post, guard, bounds }: Tools) {
  const { slice, indexOf, hasOwn, onSettled } = natives;
  const declare = createDeclare(frame, natives);
  /** Running calls, the newest first. Not an array: foreign code may have put setters where its entries go. */
  type Running = { id: number; before: Running } | undefined;
  let running: Running;

  const elapsedSince = (start: number): number => natives.now(natives.performance) - start;

  const without = (id: number, from: Running): Running =>
    from === undefined || from.id === id ? from?.before : { id: from.id, before: without(id, from.before) };
  function end(id: number): void {
    running = without(id, running);
  }

  function isPromise(value: unknown): boolean {
    try {
      return typeof value === "object" && value !== null && natives.objectToString(value) === "[object Promise]";
    } catch {
      return false;
    }
  }

  function succeed(id: number, start: number, value: unknown): void {
    const durationMs = elapsedSince(start);
    const json = toJson(value);
    end(id);
    const text = inspect.inspect(value);
    post(
      json === undefined
        ? { type: "executed", id, text, durationMs }
        : { type: "executed", id, json, text, durationMs },
    );
  }

  function fail(id: number, start: number, thrown: unknown): void {
    const durationMs = elapsedSince(start);
    end(id);
    post({ type: "failed", id, error: slice(inspect.describeThrown(thrown), 0, bounds.maxErrorLength), durationMs });
  }

  function settle(id: number, start: number, value: unknown): void {
    if (isPromise(value)) {
      let isOpen = true;
      const timer = natives.setTimeout(() => {
        if (isOpen) post({ type: "waiting", id });
      }, bounds.waitingAfterMs);
      const close = () => {
        isOpen = false;
        natives.clearTimeout(timer);
      };
      onSettled(
        value as Promise<unknown>,
        (result) => {
          close();
          succeed(id, start, result);
        },
        (reason) => {
          close();
          fail(id, start, reason);
        },
      );
      return;
    }
    succeed(id, start, value);
  }

  function runCode({ id, code, isPrepared, untilMs, maxBlockMs }: Extract<PageToFrame, { type: "eval" }>): void {
    // Earlier code kept this waiting until the page had answered for it.
    if (natives.dateNow() > untilMs) return;
    post({ type: "begun", id });
    guard.begin(maxBlockMs);
    const start = natives.now(natives.performance);
    running = { id, before: running };
    try {
      let source = code;
      if (isPrepared) {
        const cut = indexOf(code, "\n");
        const head = natives.parse(slice(code, 0, cut)) as CodeHead;
        source = slice(code, cut + 1);
        if (hasOwn(head, "names")) declare(head.names as string[]);
      }
      // Not called "eval": by any other name it runs in the global scope.
      const { globalEval } = natives;
      settle(id, start, globalEval(`${source}\n//# sourceURL=code`));
    } catch (error) {
      fail(id, start, error);
    }
  }

  return {
    runCode,
    /** The call that output belongs to: the running call that began last. */
    current: (): number | null => running?.id ?? null,
  };
}
