import { limitConcurrency } from "@backplane/kit/concurrency";
import { CAPTURE_LIMITS } from "./limits.ts";

export function sizeOf({ visibleRect, displayWidth, displayHeight }: VideoFrame): { width: number; height: number } {
  return { width: visibleRect?.width ?? displayWidth, height: visibleRect?.height ?? displayHeight };
}

/** A track that the user shares. Shots are taken one after another: a track has one target at a time. */
export type SharedSurface = {
  readonly displaySurface: string | undefined;
  /** A frame of only this element, even where others cover it; without an element, of everything that is shared. */
  grab<T>(element: HTMLElement | undefined, use: (frame: VideoFrame) => Promise<T>): Promise<T>;
  /** Called once, when the user stops sharing in the browser's own controls. */
  onEnded(listener: () => void): void;
  stop(): void;
};

type Turn = { isOver: boolean };

export class CaptureTimeout extends Error {
  override name = "CaptureTimeout";
}

async function openSharedSurface(stream: MediaStream): Promise<SharedSurface> {
  const [track] = stream.getVideoTracks();
  if (!track) throw new Error("nothing is shared");
  // Sharp text matters more than smooth motion.
  track.contentHint = "detail";
  const sink = await playUnseen(stream);
  const blink = document.createElement("i");
  Object.assign(blink.style, CORNER, { zIndex: "2147483647", background: "#000" });
  const inTurn = limitConcurrency({
    ...{ atOnce: 1, maxWaiting: CAPTURE_LIMITS.maxQueued },
    whenFull: () => new CaptureTimeout("too many shots are waiting"),
  });

  /** Frames captured before the target took effect show the previous target. */
  async function frameSince(sinceMs: number, isRight: (frame: VideoFrame) => boolean, turn: Turn): Promise<VideoFrame> {
    for (let unfit = 0; ; ) {
      const capturedMs = await nextFrame(sink);
      // A frame that nobody uses would never be closed.
      if (turn.isOver) throw new CaptureTimeout("came too late");
      if (capturedMs < sinceMs) continue;
      const frame = new VideoFrame(sink);
      if (unfit >= CAPTURE_LIMITS.maxUnfitFrames || isRight(frame)) return frame;
      unfit += 1;
      frame.close();
    }
  }

  let target: HTMLElement | undefined;
  async function aimAt(element: HTMLElement): Promise<void> {
    if (element === target) return;
    target = undefined;
    await restrictTo(track as MediaStreamTrack, element);
    target = element;
  }

  async function grabNow<T>(element: HTMLElement | undefined, use: (frame: VideoFrame) => Promise<T>): Promise<T> {
    document.body.append(blink);
    let isLight = false;
    const blinking = setInterval(() => {
      isLight = !isLight;
      blink.style.background = isLight ? "#010101" : "#000";
    }, CAPTURE_LIMITS.blinkMs);
    const turn: Turn = { isOver: false };
    const unpaint = element && paintBackdrop(element);
    try {
      if (unpaint) await inTime(twoFrames());
      if (element) await inTime(aimAt(element));
      const frame = await inTime(frameSince(performance.now(), fits(element), turn));
      clearInterval(blinking);
      try {
        return await use(frame);
      } finally {
        frame.close();
      }
    } finally {
      turn.isOver = true;
      unpaint?.();
      clearInterval(blinking);
      blink.remove();
    }
  }

  return {
    displaySurface: track.getSettings().displaySurface,
    grab: (element, use) => inTurn(() => grabNow(element, use)),
    onEnded(listener) {
      track.addEventListener("ended", listener, { once: true });
    },
    stop() {
      for (const each of stream.getTracks()) each.stop();
      sink.srcObject = null;
      sink.remove();
      blink.remove();
    },
  };
}

const CORNER = {
  ...{ position: "fixed", right: "0", bottom: "0", width: "1px", height: "1px", pointerEvents: "none" },
} as const;

/** Something must play the stream all the time, or the second change of the target never takes effect. */
async function playUnseen(stream: MediaStream): Promise<HTMLVideoElement> {
  const sink = document.createElement("video");
  Object.assign(sink, { muted: true, playsInline: true, srcObject: stream });
  sink.setAttribute("aria-hidden", "true");
  sink.tabIndex = -1;
  Object.assign(sink.style, CORNER, { opacity: "0" });
  document.body.append(sink);
  await sink.play();
  return sink;
}

const nextFrame = (sink: HTMLVideoElement): Promise<number> =>
  new Promise((resolve) => {
    sink.requestVideoFrameCallback((_now, { captureTime, expectedDisplayTime }) =>
      resolve(captureTime ?? expectedDisplayTime),
    );
  });

/** What changed before the first frame is drawn by the second. */
const twoFrames = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });

/** Frames have even sizes, and for a moment after a change the previous size. */
function fits(element: HTMLElement | undefined): (frame: VideoFrame) => boolean {
  if (!element) return () => true;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const ratio = window.devicePixelRatio;
  // Parts outside the window are not drawn.
  const seen = (from: number, to: number, end: number) => (Math.min(to, end) - Math.max(from, 0)) * ratio;
  const [width, height] = [seen(left, right, window.innerWidth), seen(top, bottom, window.innerHeight)];
  return (frame) => {
    const size = sizeOf(frame);
    return Math.abs(size.width - width) <= 2 && Math.abs(size.height - height) <= 2;
  };
}

function inTime<T>(step: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CaptureTimeout("no frame came")), CAPTURE_LIMITS.stepTimeoutMs);
  });
  return Promise.race([step, late]).finally(() => clearTimeout(timer));
}

/** What is shared: this tab, for panels and the workspace; or a whole screen. */
export type Surface = "browser" | "monitor";
/**
 * declined: the user closed the browser's dialog; refused: the system does not let browsers capture; no-picture: the browser
 * is too busy to send one.
 */
export type Unshared = "declined" | "refused" | "other-tab" | "no-picture" | "no-screen";

/** Options that TypeScript's types do not have yet. */
type CaptureOptions = DisplayMediaStreamOptions & {
  preferCurrentTab?: boolean;
  selfBrowserSurface?: "include" | "exclude";
  surfaceSwitching?: "include" | "exclude";
  monitorTypeSurfaces?: "include" | "exclude";
};

const OPTIONS: Record<Surface, CaptureOptions> = {
  browser: {
    video: { displaySurface: "browser", frameRate: CAPTURE_LIMITS.frameRate },
    audio: false,
    preferCurrentTab: true,
    selfBrowserSurface: "include",
    surfaceSwitching: "exclude",
  },
  monitor: {
    video: { displaySurface: "monitor", frameRate: CAPTURE_LIMITS.frameRate },
    audio: false,
    monitorTypeSurfaces: "include",
    surfaceSwitching: "exclude",
  },
};

/** Lets the browser ask its user. A surface of another kind than asked for is released at once. */
export async function requestSurface(surface: Surface): Promise<SharedSurface | Unshared> {
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getDisplayMedia(OPTIONS[surface]);
  } catch (error) {
    return error instanceof DOMException && error.name === "NotAllowedError" ? "declined" : "refused";
  }
  const shared = await openSharedSurface(stream).catch(() => {
    for (const track of stream.getTracks()) track.stop();
    return undefined;
  });
  if (!shared) return "refused";
  if (shared.displaySurface === surface) return shared;
  shared.stop();
  return surface === "browser" ? "other-tab" : "no-screen";
}

/** Element Capture (Chrome and Edge 132 or newer), which TypeScript's types do not have yet. */
type RestrictionTarget = { readonly __restrictionTarget: unique symbol };
type RestrictionTargets = { fromElement(element: Element): Promise<RestrictionTarget> };

type RestrictableTrack = MediaStreamTrack & { restrictTo(target: RestrictionTarget | null): Promise<void> };

type Scope = {
  RestrictionTarget?: RestrictionTargets;
  BrowserCaptureMediaStreamTrack?: { prototype: object };
};

const scope = globalThis as Scope;

export const hasElementCapture = (): boolean =>
  scope.RestrictionTarget !== undefined &&
  "restrictTo" in (scope.BrowserCaptureMediaStreamTrack?.prototype ?? {}) &&
  typeof globalThis.navigator?.mediaDevices?.getDisplayMedia === "function";

async function restrictTo(track: MediaStreamTrack, element: HTMLElement): Promise<void> {
  const target = await scope.RestrictionTarget?.fromElement(element);
  if (!target) throw new Error("there is no Element Capture");
  await (track as RestrictableTrack).restrictTo(target);
}

/** Why this browser cannot share a tab for screenshots; undefined when it can. */
export function whyNot(isSecure: boolean, isCapable: boolean): string | undefined {
  if (!isSecure) return "This page was loaded over plain http. Open it at localhost or over https.";
  if (!isCapable)
    return "This browser cannot capture single panels. Open the workspace in Chrome or Edge 132 or newer.";
  return undefined;
}

/** Whether a computed CSS colour is fully transparent. */
const isTransparent = (colour: string): boolean => colour === "transparent" || /^rgba\(.*, 0\)$|\/ 0\)$/.test(colour);

/** The first colour that is not transparent, from the element outwards. */
export const backdropAmong = (colours: readonly string[]): string =>
  colours.find((colour) => !isTransparent(colour)) ?? "Canvas";

/**
 * An element is captured without what lies behind it, so transparent parts would be black. Gives it the background colour
 * that is visible there. Returns a function that undoes it, or undefined when the element has a colour of its own.
 */
function paintBackdrop(element: HTMLElement): (() => void) | undefined {
  const colours: string[] = [];
  for (let each: Element | null = element; each; each = each.parentElement) {
    colours.push(getComputedStyle(each).backgroundColor);
  }
  if (!isTransparent(colours[0] ?? "")) return undefined;
  const before = element.style.backgroundColor;
  element.style.backgroundColor = backdropAmong(colours);
  return () => {
    element.style.backgroundColor = before;
  };
}
