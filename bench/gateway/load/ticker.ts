// A thread that wakes its parent shortly before each callback is due.
import { parentPort, workerData } from "node:worker_threads";
import { monotonicMs } from "./clock.ts";
import type { TickerData } from "./pace.ts";

const { firstMs, intervalMs, count, leadMs }: TickerData = workerData;
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

for (let tick = 0; tick < count; tick++) {
  const wakeMs = firstMs + tick * intervalMs - leadMs;
  const sleepMs = wakeMs - monotonicMs();
  if (sleepMs > 0) Atomics.wait(never, 0, 0, sleepMs);
  parentPort?.postMessage(tick);
}
