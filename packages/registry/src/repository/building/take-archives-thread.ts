import { parentPort, workerData } from "node:worker_threads";
import { type Share, type Told, takeShare } from "./take-archives.ts";

/** Told together, as each message wakes the other side. */
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
