import { parentPort, workerData } from "node:worker_threads";
import { createGallery } from "./gallery.ts";
import type { MediaOrder, MediaReport } from "./media.ts";
import { createReceivers } from "./webrtc/receivers.ts";

const report = (said: MediaReport): void =>
  parentPort?.postMessage(said, said.report === "picture" ? [said.picture.bytes.buffer] : []);
const gallery = createGallery(report);
const receivers = createReceivers(report);

parentPort?.on("message", (order: MediaOrder) => {
  switch (order.order) {
    case "picture":
      gallery.take(order);
      Atomics.sub(workerData as Int32Array<SharedArrayBuffer>, 0, order.picture.bytes.length);
      break;
    case "watch":
    case "end":
    case "forget":
      gallery.take(order);
      break;
    default:
      receivers.take(order);
  }
});
