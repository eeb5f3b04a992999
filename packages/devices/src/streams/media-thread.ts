import { parentPort, workerData } from "node:worker_threads";
import { createGallery } from "./gallery.ts";
import type { MediaOrder, MediaReport } from "./media.ts";

const gallery = createGallery((report: MediaReport) => parentPort?.postMessage(report));

parentPort?.on("message", (order: MediaOrder) => {
  gallery.take(order);
  if (order.order === "picture") Atomics.sub(workerData as Int32Array<SharedArrayBuffer>, 0, order.bytes.length);
});
