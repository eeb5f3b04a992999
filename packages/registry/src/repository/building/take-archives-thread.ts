import { parentPort, workerData } from "node:worker_threads";
import { type Share, type TakenArchive, takeShare } from "./take-archives.ts";

/** Results are sent in batches, because each message wakes the main thread. */
const BATCH_SIZE = 32;

let waiting: TakenArchive[] = [];
const send = () => {
  parentPort?.postMessage(waiting);
  waiting = [];
};
await takeShare(workerData as Share, (result) => {
  waiting.push(result);
  if (waiting.length === BATCH_SIZE) send();
});
send();
