import type { FrameBounds, FrameToPage, PageToFrame } from "@backplane/contract/panels";
import { createThreadGuard } from "./guard-thread.ts";
import { createInspect } from "./inspect-value.ts";
import { createNatives, type FrameEvent, type FramePort, type FrameWindow } from "./natives.ts";
import { createConsole } from "./patch-console.ts";
import { createPlot } from "./plot.ts";
import { createRasterise } from "./rasterise.ts";
import { createRunCode } from "./run-code.ts";
import { createValueToJson } from "./value-to-json.ts";

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
  const inspect = createInspect(natives);
  const toJson = createValueToJson(natives, inspect, bounds.maxResultBytes);
  let port: FramePort | undefined;
  let postMessage: ((port: FramePort, message: unknown, transfer?: readonly unknown[]) => void) | undefined;
  const post = (message: FrameToPage, transfer: readonly unknown[] = []): void => {
    if (port && postMessage) postMessage(port, message, transfer);
  };
  const guard = createThreadGuard(frame, natives, nameOfGuard);
  const { runCode, current } = createRunCode(frame, { natives, inspect, toJson, post, guard, bounds });
  createConsole(frame, { natives, inspect, current, post, bounds });
  createPlot(frame, natives);
  const rasterise = createRasterise(frame, post, addressOfSnapdom);

  function block(ms: number): void {
    post({ type: "block-begun" });
    const endMs = natives.dateNow() + ms;
    while (natives.dateNow() < endMs);
    post({ type: "block-ended", atMs: natives.dateNow() });
  }

  function take(message: PageToFrame): void {
    if (message.type === "eval") runCode(message);
    else if (message.type === "ping") post({ type: "pong", id: message.id });
    else if (message.type === "block") block(message.blockMs);
    else rasterise(message.id, message.background);
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
