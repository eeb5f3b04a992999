import type { FrameToPage, PageToFrame } from "@backplane/contract/panels";
import type { FrameEvent, FramePort } from "../../sandbox/frame/natives.ts";

type PackageWindow = {
  parent: { postMessage(message: unknown, target: string): void };
  addEventListener(type: string, listener: (event: FrameEvent & Fault) => void, isCapture?: boolean): void;
};
type Fault = { message?: string; reason?: unknown; target?: unknown };

/**
 * Runs before the code of the package. It takes the one port and answers heartbeats, so that every panel does. The rest of the
 * port belongs to that code: it has nothing to take from itself. `openRunner`: where programs run code, too.
 */
export function startPackage(
  frame: PackageWindow,
  openRunner?: (send: (messages: FrameToPage[]) => void) => (order: PageToFrame) => void,
): void {
  // The one way into the network that a Content-Security-Policy leaves open.
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
    Object.defineProperty(frame, name, { value: undefined });
  }
  const given = Promise.withResolvers<FramePort>();
  Object.defineProperty(frame, "backplanePort", { value: given.promise });
  let port: FramePort | undefined;
  let early: string[] = [];
  const post = (message: object): void => {
    if (port) port.postMessage(JSON.stringify(message));
    else if (early.length < 10) early.push(JSON.stringify(message));
  };
  const run = openRunner?.((messages) => post({ type: "eval", messages }));
  const fail = (text: string): void => post({ type: "failed", text: text.slice(0, 500) });
  frame.addEventListener(
    "error",
    ({ message, target }) => {
      const source = (target as { src?: string; href?: string } | null)?.src ?? (target as { href?: string })?.href;
      if (message !== undefined) fail(message);
      else if (source !== undefined) fail(`${source.replace(/^.*[/]files[/]/, "")} did not load.`);
    },
    true,
  );
  frame.addEventListener("unhandledrejection", ({ reason }) => fail(String(reason)));
  frame.addEventListener("message", (event) => {
    const taken = event.ports?.[0];
    if (port || !taken || event.source !== frame.parent) return;
    event.stopImmediatePropagation();
    port = taken;
    taken.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as { type?: unknown; id?: unknown; order?: PageToFrame };
      if (message.type === "ping") post({ type: "pong", id: message.id });
      else if (message.type === "eval" && message.order) run?.(message.order);
    });
    taken.start();
    for (const text of early) taken.postMessage(text);
    early = [];
    given.resolve(taken);
  });
  frame.parent.postMessage({ type: "run-loaded" }, "*");
}
