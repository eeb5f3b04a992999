import type { FrameBounds, FrameToPage, PageToFrame } from "@backplane/contract/panels";
import { createRunner } from "./create-runner.ts";
import { createNatives, type FrameEvent, type FramePort, type FrameWindow } from "./natives.ts";
import { createPlot } from "./plot.ts";
import { createRasterise } from "./rasterise.ts";

/** Runs first in the document that foreign code will run in. It takes one port, which that code never sees. */
export function startFrame(
  frame: FrameWindow,
  bounds: FrameBounds,
  nameOfGuard: string,
  addressOfSnapdom: string,
): void {
  const natives = createNatives(frame);
  // The one way into the network that a Content-Security-Policy leaves open.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
    natives.defineProperty(frame, name, { value: undefined });
  }
  // While code runs, `window.event` would be the port's message, and its target the port.
  natives.defineProperty(frame, "event", { value: undefined, writable: true, configurable: true });
  let port: FramePort | undefined;
  let postMessage: ((port: FramePort, message: unknown, transfer?: readonly unknown[]) => void) | undefined;
  const post = (message: FrameToPage, transfer: readonly unknown[] = []): void => {
    if (port && postMessage) postMessage(port, message, transfer);
  };
  const runner = createRunner(frame, { natives, bounds, nameOfGuard, post });
  createPlot(frame, natives);
  const rasterise = createRasterise(frame, post, addressOfSnapdom);

  function take(message: PageToFrame): void {
    if (message.type === "rasterise") rasterise(message.id, message.background);
    else runner.take(message);
  }

  const getData = natives.uncurry(
    natives.getOwnPropertyDescriptor(
      (frame as unknown as { MessageEvent: { prototype: object } }).MessageEvent.prototype,
      "data",
    )?.get as (this: FrameEvent) => unknown,
  );
  frame.addEventListener("message", (event) => {
    const given = event.ports?.[0];
    if (port || !given || event.source !== frame.parent) return;
    event.stopImmediatePropagation();
    port = given;
    postMessage = natives.uncurry(given.postMessage as (this: FramePort, ...all: unknown[]) => void);
    given.addEventListener("message", (order) => take(getData(order) as PageToFrame));
    given.start();
    post({ type: "ready" });
  });
  frame.parent.postMessage({ type: "run-loaded" }, "*");
}
