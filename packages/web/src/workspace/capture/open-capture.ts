import type { JsonData, Order, Sharing } from "@backplane/contract/panels";
import type { LiveClient } from "../live/live-client.ts";
import { OrderRefused } from "../panel.ts";
import { lookAt } from "./can-be-seen.ts";
import { hasElementCapture, whyNot } from "./element-capture.ts";
import { measureColours } from "./measure-colours.ts";
import { encodePng, readPicture } from "./read-frame.ts";
import { requestSurface, type Surface, type Unshared } from "./request-surface.ts";
import { sendShot } from "./send-shot.ts";
import { CaptureTimeout, type SharedSurface } from "./shared-surface.ts";
import { untilSettled } from "./until-settled.ts";
import { MATRICES, type Matrix } from "./yuv.ts";

export type CaptureState = {
  /** Undefined: it can share. */
  readonly cannot: string | undefined;
  readonly shared: readonly Surface[];
  /** The browser's own question is open. */
  readonly isAsking: boolean;
  /** Why the last try to share came to nothing. */
  readonly fault: Unshared | undefined;
};

export type Capture = {
  state(): CaptureState;
  subscribe(listener: () => void): () => void;
  /** Only after a click: the browser then asks which surface. True: it is shared. */
  share(surface?: Surface): Promise<boolean>;
  stop(): void;
  /** Takes no more orders, and stops. */
  close(): void;
};

export type CaptureGround = {
  live: Pick<LiveClient, "onOrder" | "send">;
  elementOf(tabId: string): HTMLElement | undefined;
  workspaceElement(): HTMLElement | undefined;
  rasterise(tabId: string): Promise<Blob> | undefined;
  owner: string;
  repo: string;
};

type Shot = Extract<Order, { kind: "shot" }>;

/** Screenshots of this page, for whoever asks through the server. After a reload nothing is shared. */
export function openCapture(ground: CaptureGround): Capture {
  const { live } = ground;
  const listeners = new Set<() => void>();
  const surfaces = new Map<Surface, SharedSurface>();
  const matrices: Record<Surface, Matrix | undefined> = { browser: undefined, monitor: MATRICES[0] };
  let state: CaptureState = {
    cannot: whyNot(globalThis.isSecureContext, hasElementCapture()),
    ...{ shared: [], isAsking: false, fault: undefined },
  };

  function change(next: Partial<CaptureState>): void {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  }

  const sharing = (): Sharing => ({
    active: surfaces.size > 0,
    displaySurface: surfaces.has("browser") ? "browser" : surfaces.has("monitor") ? "monitor" : null,
    ...(surfaces.size > 1 ? { surfaces: [...surfaces.keys()] } : {}),
  });

  function tell(): void {
    live.send({ type: "sharing", sharing: sharing() });
    change({ shared: [...surfaces.keys()] });
  }

  function end(surface: Surface, shared: SharedSurface): void {
    shared.stop();
    if (surfaces.get(surface) !== shared) return;
    surfaces.delete(surface);
    tell();
  }

  async function share(surface: Surface = "browser"): Promise<boolean> {
    if (state.isAsking || state.cannot !== undefined) return false;
    if (surfaces.has(surface)) return true;
    change({ isAsking: true, fault: undefined });
    const shared = await requestSurface(surface);
    if (typeof shared === "string") {
      change({ isAsking: false, fault: shared });
      return false;
    }
    try {
      if (surface === "browser") {
        matrices.browser = await measureColours(shared);
        // Nothing can be measured on a screen: there it is the same, as far as is known.
        matrices.monitor = matrices.browser ?? MATRICES[0];
      }
    } catch {
      shared.stop();
      change({ isAsking: false, fault: "other-tab" });
      return false;
    }
    surfaces.set(surface, shared);
    shared.onEnded(() => end(surface, shared));
    change({ isAsking: false });
    tell();
    return true;
  }

  async function takeShot({ method, scope, tabId, shotId }: Shot): Promise<JsonData> {
    const png = method === "html2canvas" ? await rasterised(tabId) : await captured(scope, tabId);
    await sendShot(ground, shotId, png);
    return { bytes: png.size };
  }

  async function rasterised(tabId: string | null): Promise<Blob> {
    const png = tabId === null ? undefined : ground.rasterise(tabId);
    if (!png) throw new OrderRefused("not-mounted", "This sandbox is not shown in the browser.");
    return png;
  }

  async function captured(scope: Shot["scope"], tabId: string | null): Promise<Blob> {
    const needed = scope === "screen" ? "monitor" : "browser";
    const surface = surfaces.get(needed);
    if (!surface) {
      const code = surfaces.size === 0 ? "not-sharing" : "wrong-surface";
      throw new OrderRefused(code, "This browser does not share what the screenshot needs.");
    }
    const element = scope === "screen" ? undefined : elementFor(scope, tabId);
    if (element) await untilSettled(element);
    try {
      return await surface.grab(element, async (frame) => encodePng(await readPicture(frame, matrices[needed])));
    } catch (error) {
      if (surfaces.get(needed) !== surface) throw new OrderRefused("not-sharing", "The user stopped sharing.");
      if (!(error instanceof CaptureTimeout))
        throw new OrderRefused("shot-failed", "The browser sent no picture of it.");
      const why = element && lookAt(element);
      throw new OrderRefused(why ? "not-rendered" : "shot-failed", why ?? "The browser sent no picture in time.");
    }
  }

  function elementFor(scope: Shot["scope"], tabId: string | null): HTMLElement {
    const element = scope === "workspace" ? ground.workspaceElement() : ground.elementOf(tabId ?? "");
    const why = element ? lookAt(element) : "It is not shown in this browser.";
    if (!element || why) throw new OrderRefused("not-rendered", why ?? "");
    return element;
  }

  const stopOrders = live.onOrder("workspace", async (order) => {
    if (order.kind !== "shot")
      throw new OrderRefused("unsupported", "The workspace takes orders for screenshots only.");
    return takeShot(order);
  });

  function stop(): void {
    const all = [...surfaces.values()];
    surfaces.clear();
    for (const shared of all) shared.stop();
    if (all.length > 0) tell();
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    share,
    stop,
    close() {
      stopOrders();
      stop();
      listeners.clear();
    },
  };
}
