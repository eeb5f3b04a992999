import { parentPort } from "node:worker_threads";
import { examineUpload } from "./examine-upload.ts";
import type { Order, Report } from "./examiner.ts";

/** One after the other: the lists of many large archives at once would take more memory than the thread has. */
let last: Promise<void> = Promise.resolve();

parentPort?.on("message", (order: Order) => {
  last = last.then(() => answer(order));
});

async function answer({ id, file, brands }: Order): Promise<void> {
  const report: Report = await examineUpload(file, brands).then(
    (examined) => ({ id, examined }),
    (error: unknown) => ({ id, fault: String(error) }),
  );
  parentPort?.postMessage(report);
}
