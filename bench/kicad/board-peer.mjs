// Runs in a worker of the bench: what kicadts needs until a board is parsed, and nothing is drawn yet.
import { parseKicadPcb } from "kicadts";

self.addEventListener("message", ({ data: { id, order } }) => {
  const parsed = order.kind === "load" ? parseKicadPcb(new TextDecoder().decode(order.bytes)) : undefined;
  self.postMessage({ id, answer: parsed?.footprints.length });
});
