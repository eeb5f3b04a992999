import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Bytes both ways until one side ends or both are silent; then both end. What one side does not take, the other waits with. */
export function pipeBetween(one: Duplex, other: Duplex, { idleMs }: { idleMs: number }): void {
  const end = () => {
    clearTimeout(timer);
    one.destroy();
    other.destroy();
  };
  const timer = setTimeout(end, idleMs).unref();
  const onData = () => void timer.refresh();
  one.on("data", onData);
  other.on("data", onData);
  Promise.all([pipeline(one, other), pipeline(other, one)]).then(end, end);
}
