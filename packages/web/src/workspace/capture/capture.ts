import type { JsonData, Order, Sharing } from "@backplane/contract/panels";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import type { LiveClient } from "../live/live-client.ts";
import { OrderRefused } from "../panel.ts";
import { encodePng, measureColours, readPicture } from "./colours.ts";
import { CAPTURE_LIMITS } from "./limits.ts";
import {
  CaptureTimeout,
  hasElementCapture,
  requestSurface,
  type SharedSurface,
  type Surface,
  type Unshared,
  whyNot,
} from "./shared-surface.ts";
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

type CaptureGround = {
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

/** To the server, where somebody waits for it; only while they do, and once. */
export async function sendShot(workspace: WorkspaceName, shotId: string, png: Blob, fetch = globalThis.fetch) {
  const response = await fetch(workspaceRoute(workspace, `/screenshot/${encodeURIComponent(shotId)}`), {
    method: "POST",
    headers: { "content-type": "image/png" },
    body: png,
    credentials: "same-origin",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(CAPTURE_LIMITS.uploadTimeoutMs),
  }).catch(() => undefined);
  if (response?.ok) return;
  throw new OrderRefused("shot-failed", `The browser could not send the picture (${response?.status ?? "no answer"}).`);
}

const LOOK_EVERY_MS = 16;
const BUSY = '[aria-busy="true"]';

/** A panel that was just put in front may still load what it shows: its picture would be empty. */
const untilSettled = (element: HTMLElement): Promise<void> =>
  untilCalm({
    isBusy: () => {
      const busy = element.matches(BUSY) ? [element] : [...element.querySelectorAll(BUSY)];
      return busy.some((part) => part.checkVisibility({ visibilityProperty: true }));
    },
    later: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });

type Waiting = { isBusy(): boolean; later(ms: number): Promise<void> };

/** No longer than `settlesWithinMs`: a page that loads for ever has a picture, too. */
export async function untilCalm({ isBusy, later }: Waiting): Promise<void> {
  if (!isBusy()) return;
  for (let waitedMs = 0; waitedMs < CAPTURE_LIMITS.settlesWithinMs && isBusy(); waitedMs += LOOK_EVERY_MS)
    await later(LOOK_EVERY_MS);
  // What has come is drawn now.
  await later(2 * LOOK_EVERY_MS);
}

type Box = { left: number; top: number; right: number; bottom: number; width: number; height: number };
type Seen = {
  box: Box;
  isVisible: boolean;
  isolation: string;
  isConnected: boolean;
  viewport: { width: number; height: number };
};

/** Of such elements neither a frame nor an error would come: why, or undefined when it can be captured. */
export function whyNotSeen({ box, isVisible, isolation, isConnected, viewport }: Seen): string | undefined {
  if (!isConnected) return "It is not in the page.";
  if (!isVisible || box.width < 1 || box.height < 1) return "It is hidden. Show its tab, or enlarge the window.";
  const isOutside = box.right <= 0 || box.bottom <= 0 || box.left >= viewport.width || box.top >= viewport.height;
  if (isOutside) return "It lies outside the window.";
  if (isolation !== "isolate") return "It is drawn together with what surrounds it.";
  return undefined;
}

function lookAt(element: HTMLElement): string | undefined {
  return whyNotSeen({
    box: element.getBoundingClientRect(),
    isVisible: element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }),
    isolation: getComputedStyle(element).isolation,
    isConnected: element.isConnected,
    viewport: { width: window.innerWidth, height: window.innerHeight },
  });
}
