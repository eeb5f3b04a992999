import { parentPort, workerData } from "node:worker_threads";
import { type Share, type Told, takeShare } from "./take-archives.ts";

/** Results are sent in batches, because each message wakes the main thread. */
const TOLD_AT_ONCE = 32;

let waiting: Told[] = [];
const tell = () => {
  parentPort?.postMessage(waiting);
  waiting = [];
};
await takeShare(workerData as Share, (told) => {
  waiting.push(told);
  if (waiting.length === TOLD_AT_ONCE) tell();
});
tell();
