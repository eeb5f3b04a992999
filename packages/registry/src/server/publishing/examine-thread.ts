import { parentPort } from "node:worker_threads";
import { examineUpload } from "./examine-upload.ts";
import type { Order, Report } from "./examiner.ts";

parentPort?.on("message", async ({ id, file, brands }: Order) => {
  const report: Report = await examineUpload(file, brands).then(
    (examined) => ({ id, examined }),
    (error: unknown) => ({ id, fault: String(error) }),
  );
  parentPort?.postMessage(report);
});
