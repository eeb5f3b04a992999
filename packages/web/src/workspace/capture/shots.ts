import type { JsonData, Order } from "@backplane/contract/panels";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import { OrderRefused } from "../panel.ts";
import { readPicture } from "./colours.ts";
import { CAPTURE_LIMITS } from "./limits.ts";
import { encodePng } from "./png.ts";
import type { SharedSurface, Surface } from "./shared-surface.ts";
import { CaptureTimeout } from "./shared-surface.ts";
import type { Matrix } from "./yuv.ts";

/** What is shared, and the matrices by which colours are decoded. */
export type Shared = {
  surfaces: Map<Surface, SharedSurface>;
  matrices: Record<Surface, Matrix | undefined>;
};

type Shot = Extract<Order, { kind: "shot" }>;

/** What a screenshot needs from the page. */
export type Page = {
  workspace: WorkspaceName;
  elementOf(tabId: string): HTMLElement | undefined;
  workspaceElement(): HTMLElement | undefined;
  rasterise(tabId: string): Promise<Blob> | undefined;
};

/** Takes a screenshot and sends it to the server. */
export async function takeShot({ method, scope, tabId, shotId }: Shot, page: Page, shared: Shared): Promise<JsonData> {
  const png = method === "html2canvas" ? await rasterise(page, tabId) : await capture(page, shared, scope, tabId);
  await sendShot(page.workspace, shotId, png);
  return { bytes: png.size };
}

async function rasterise(page: Page, tabId: string | null): Promise<Blob> {
  const png = tabId === null ? undefined : page.rasterise(tabId);
  if (!png) throw new OrderRefused("not-mounted", "This browser does not show the sandbox.");
  return png;
}

async function capture(
  page: Page,
  { surfaces, matrices }: Shared,
  scope: Shot["scope"],
  tabId: string | null,
): Promise<Blob> {
  const kind = scope === "screen" ? "monitor" : "browser";
  const surface = surfaces.get(kind);
  if (!surface) {
    const code = surfaces.size === 0 ? "not-sharing" : "wrong-surface";
    throw new OrderRefused(code, "This browser does not share what the screenshot needs.");
  }
  const element = scope === "screen" ? undefined : elementFor(page, scope, tabId);
  if (element) await untilLoaded(element);
  try {
    return await surface.grab(element, async (frame) => encodePng(await readPicture(frame, matrices[kind])));
  } catch (error) {
    if (surfaces.get(kind) !== surface) throw new OrderRefused("not-sharing", "The user stopped sharing.");
    if (!(error instanceof CaptureTimeout)) throw new OrderRefused("shot-failed", "The browser sent no picture of it.");
    const why = element && whyElementNotSeen(element);
    throw new OrderRefused(why ? "not-rendered" : "shot-failed", why ?? "The browser sent no picture in time.");
  }
}

function elementFor(page: Page, scope: Shot["scope"], tabId: string | null): HTMLElement {
  const element = scope === "workspace" ? page.workspaceElement() : page.elementOf(tabId ?? "");
  const why = element ? whyElementNotSeen(element) : "This browser does not show it.";
  if (!element || why) throw new OrderRefused("not-rendered", why ?? "");
  return element;
}

/**
 * The server takes the picture only while somebody waits for it, and only once. A platform that is being replaced answers
 * nothing, or 502: the picture is sent again, and may then be unknown because it was taken the first time.
 */
export async function sendShot(
  workspace: WorkspaceName,
  shotId: string,
  png: Blob,
  { fetch = globalThis.fetch, wait = pause }: { fetch?: typeof globalThis.fetch; wait?: typeof pause } = {},
): Promise<void> {
  const signal = AbortSignal.timeout(CAPTURE_LIMITS.uploadTimeoutMs);
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(workspaceRoute(workspace, `/screenshot/${encodeURIComponent(shotId)}`), {
      method: "POST",
      headers: { "content-type": "image/png" },
      body: png,
      credentials: "same-origin",
      referrerPolicy: "no-referrer",
      signal,
    }).catch(() => undefined);
    if (response?.ok || (attempt > 1 && response?.status === 404)) return;
    const isOutage = response === undefined || response.status >= 500;
    if (!isOutage || signal.aborted || attempt === CAPTURE_LIMITS.uploadAttempts) {
      const said = response?.status ?? "no answer";
      throw new OrderRefused("shot-failed", `The browser could not send the picture (${said}).`);
    }
    await wait(CAPTURE_LIMITS.uploadAgainMs);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const CHECK_EVERY_MS = 16;
const BUSY = '[aria-busy="true"]';

/** A panel that was just shown may still be loading: its picture would be empty. */
const untilLoaded = (element: HTMLElement): Promise<void> =>
  waitWhileBusy({
    isBusy: () => {
      const busy = element.matches(BUSY) ? [element] : [...element.querySelectorAll(BUSY)];
      return busy.some((part) => part.checkVisibility({ visibilityProperty: true }));
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });

/** Waits at most `loadsWithinMs`: a page that never finishes loading gets its picture, too. */
export async function waitWhileBusy({ isBusy, wait }: { isBusy(): boolean; wait(ms: number): Promise<void> }) {
  if (!isBusy()) return;
  for (let waitedMs = 0; waitedMs < CAPTURE_LIMITS.loadsWithinMs && isBusy(); waitedMs += CHECK_EVERY_MS)
    await wait(CHECK_EVERY_MS);
  // Time to draw what has loaded.
  await wait(2 * CHECK_EVERY_MS);
}

type Box = { left: number; top: number; right: number; bottom: number; width: number; height: number };
type Seen = {
  box: Box;
  isVisible: boolean;
  isolation: string;
  isConnected: boolean;
  viewport: { width: number; height: number };
};

/** Why an element cannot be captured: the browser would send neither a frame nor an error. Undefined when it can. */
export function whyNotSeen({ box, isVisible, isolation, isConnected, viewport }: Seen): string | undefined {
  if (!isConnected) return "It is not in the page.";
  if (!isVisible || box.width < 1 || box.height < 1) return "It is hidden. Show its tab, or enlarge the window.";
  const isOutside = box.right <= 0 || box.bottom <= 0 || box.left >= viewport.width || box.top >= viewport.height;
  if (isOutside) return "It is outside the window.";
  if (isolation !== "isolate") return "It is drawn together with what surrounds it.";
  return undefined;
}

const whyElementNotSeen = (element: HTMLElement): string | undefined =>
  whyNotSeen({
    box: element.getBoundingClientRect(),
    isVisible: element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }),
    isolation: getComputedStyle(element).isolation,
    isConnected: element.isConnected,
    viewport: { width: window.innerWidth, height: window.innerHeight },
  });
