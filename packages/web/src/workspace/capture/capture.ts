import type { Sharing } from "@backplane/contract/panels";
import type { LiveClient } from "../live/live-client.ts";
import { OrderRefused } from "../panel.ts";
import { createStore, type Store } from "../store.ts";
import { measureColours } from "./colours.ts";
import {
  CaptureTimeout,
  hasElementCapture,
  requestSurface,
  type SharedSurface,
  type Surface,
  type Unshared,
  whyNot,
} from "./shared-surface.ts";
import { type Page, type Shared, takeShot } from "./shots.ts";
import { MATRICES } from "./yuv.ts";

export type CaptureState = {
  /** Why this browser cannot share; undefined when it can. */
  readonly cannot: string | undefined;
  readonly shared: readonly Surface[];
  /** The browser is asking its user what to share. */
  readonly isAsking: boolean;
  /** Why the last attempt to share failed. */
  readonly fault: Unshared | undefined;
};

export type Capture = {
  state(): CaptureState;
  subscribe(listener: () => void): () => void;
  /** Must be called in a click handler: the browser then asks what to share. True when it is shared. */
  share(surface?: Surface): Promise<boolean>;
  stop(): void;
  /** Stops sharing and takes no more orders. */
  close(): void;
};

type CapturePage = Page & { live: Pick<LiveClient, "onOrder" | "send"> };

/** Screenshots of this page, on order of programs. After a reload of the page nothing is shared. */
export function openCapture(page: CapturePage): Capture {
  const { live } = page;
  const store = createStore<CaptureState>({
    cannot: whyNot(globalThis.isSecureContext, hasElementCapture()),
    ...{ shared: [], isAsking: false, fault: undefined },
  });
  const shared: Shared = { surfaces: new Map(), matrices: { browser: undefined, monitor: MATRICES[0] } };
  const { surfaces } = shared;

  function announce(): void {
    live.send({ type: "sharing", sharing: sharingOf(surfaces) });
    store.update({ shared: [...surfaces.keys()] });
  }

  async function share(kind: Surface = "browser"): Promise<boolean> {
    if (store.state().isAsking || store.state().cannot !== undefined) return false;
    if (surfaces.has(kind)) return true;
    const surface = await askToShare(store, kind, shared);
    if (!surface) return false;
    surfaces.set(kind, surface);
    surface.onEnded(() => {
      surface.stop();
      if (surfaces.get(kind) !== surface) return;
      surfaces.delete(kind);
      announce();
    });
    announce();
    return true;
  }

  function stop(): void {
    const all = [...surfaces.values()];
    surfaces.clear();
    for (const surface of all) surface.stop();
    if (all.length > 0) announce();
  }

  const stopOrders = live.onOrder("workspace", async (order) => {
    if (order.kind !== "shot") throw new OrderRefused("unsupported", "The workspace can only take screenshots.");
    return takeShot(order, page, shared);
  });

  return {
    state: store.state,
    subscribe: store.subscribe,
    share,
    stop,
    close() {
      stopOrders();
      stop();
    },
  };
}

const sharingOf = (surfaces: ReadonlyMap<Surface, unknown>): Sharing => ({
  active: surfaces.size > 0,
  displaySurface: surfaces.has("browser") ? "browser" : surfaces.has("monitor") ? "monitor" : null,
  ...(surfaces.size > 1 ? { surfaces: [...surfaces.keys()] } : {}),
});

/** Asks the user, and measures how the colours are encoded. Undefined when it is not shared; the state has the reason. */
async function askToShare(
  { update }: Store<CaptureState>,
  kind: Surface,
  { matrices }: Shared,
): Promise<SharedSurface | undefined> {
  update({ isAsking: true, fault: undefined });
  const surface = await requestSurface(kind);
  if (typeof surface === "string") {
    update({ isAsking: false, fault: surface });
    return undefined;
  }
  try {
    if (kind === "browser") {
      matrices.browser = await patiently(() => measureColours(surface));
      // A screen cannot be measured: as far as is known it is encoded like the tab.
      matrices.monitor = matrices.browser ?? MATRICES[0];
    }
    update({ isAsking: false });
    return surface;
  } catch (error) {
    surface.stop();
    update({ isAsking: false, fault: error instanceof CaptureTimeout ? "no-picture" : "other-tab" });
    return undefined;
  }
}

/** On a busy machine the first frame can take longer than the time limit of a shot. */
const MAX_TRIES = 4;

/** Tries again when no frame came in time. */
export async function patiently<T>(measure: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await measure();
    } catch (error) {
      if (!(error instanceof CaptureTimeout) || tries === MAX_TRIES) throw error;
    }
  }
}
