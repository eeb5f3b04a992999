import type { FrameBounds, FrameToPage, PageToFrame } from "@backplane/contract/panels";
import type { createInspect } from "./inspect-value.ts";
import type { createNatives, FrameEvent, FramePort, FrameWindow } from "./natives.ts";
import type { createConsole } from "./patch-console.ts";
import type { createRasterise } from "./rasterise.ts";
import type { createRunCode } from "./run-code.ts";
import type { createValueToJson } from "./value-to-json.ts";

/** The other functions of this folder, which are sent along. */
export type FrameParts = {
  createNatives: typeof createNatives;
  createInspect: typeof createInspect;
  createValueToJson: typeof createValueToJson;
  createRunCode: typeof createRunCode;
  createConsole: typeof createConsole;
  createRasterise: typeof createRasterise;
};

/** Runs first in the document that foreign code will run in. It takes one port, and nobody else gets to see it. */
export function startFrame(frame: FrameWindow, parts: FrameParts, bounds: FrameBounds, addressOfSnapdom: string): void {
  const natives = parts.createNatives(frame);
  // The one way into the network that a Content-Security-Policy leaves open.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
    natives.defineProperty(frame, name, { value: undefined });
  }
  // The event under way while code runs is the port's, and its target the port.
  natives.defineProperty(frame, "event", { value: undefined, writable: true, configurable: true });
  const inspect = parts.createInspect(natives);
  const toJson = parts.createValueToJson(natives, inspect, bounds.maxResultBytes);
  let port: FramePort | undefined;
  let postMessage: ((port: FramePort, message: unknown, transfer?: readonly unknown[]) => void) | undefined;
  const post = (message: FrameToPage, transfer: readonly unknown[] = []): void => {
    if (port && postMessage) postMessage(port, message, transfer);
  };
  const { runCode, current } = parts.createRunCode(frame, { natives, inspect, toJson, post, bounds });
  parts.createConsole(frame, { natives, inspect, current, post, bounds });
  const rasterise = parts.createRasterise(frame, post, addressOfSnapdom);

  function take(message: PageToFrame): void {
    if (message.type === "eval") runCode(message.id, message.code, message.isPrepared);
    else if (message.type === "ping") post({ type: "pong", id: message.id });
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
