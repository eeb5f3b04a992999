import { sizeOf } from "./colours.ts";
import { CAPTURE_LIMITS } from "./limits.ts";

/** A track that the user shares. Its frames are taken one shot after another: a track has one target at a time. */
export type SharedSurface = {
  readonly displaySurface: string | undefined;
  /** A frame of nothing but this element, also where others cover it; without one, of all that is shared. */
  grab<T>(element: HTMLElement | undefined, use: (frame: VideoFrame) => Promise<T>): Promise<T>;
  /** Called once, when the user ends it by the browser's own means. */
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
  // Text shall stay sharp rather than smooth.
  track.contentHint = "detail";
  const sink = await playUnseen(stream);
  const beat = document.createElement("i");
  Object.assign(beat.style, CORNER, { zIndex: "2147483647", background: "#000" });
  let queue: Promise<unknown> = Promise.resolve();
  let queued = 0;

  /** Frames that were captured before the target was in force show the one before it. */
  async function frameSince(sinceMs: number, isRight: (frame: VideoFrame) => boolean, turn: Turn): Promise<VideoFrame> {
    for (let unfit = 0; ; ) {
      const capturedMs = await nextFrame(sink);
      // A frame that nobody takes would never be given back.
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
    document.body.append(beat);
    let isLight = false;
    const beating = setInterval(() => {
      isLight = !isLight;
      beat.style.background = isLight ? "#010101" : "#000";
    }, CAPTURE_LIMITS.beatMs);
    const turn: Turn = { isOver: false };
    const unpaint = element && paintBackdrop(element);
    try {
      if (unpaint) await inTime(twoFrames());
      if (element) await inTime(aimAt(element));
      const frame = await inTime(frameSince(performance.now(), fits(element), turn));
      clearInterval(beating);
      try {
        return await use(frame);
      } finally {
        frame.close();
      }
    } finally {
      turn.isOver = true;
      unpaint?.();
      clearInterval(beating);
      beat.remove();
    }
  }

  return {
    displaySurface: track.getSettings().displaySurface,
    grab(element, use) {
      if (queued >= CAPTURE_LIMITS.maxQueued) return Promise.reject(new CaptureTimeout("too many shots wait"));
      queued += 1;
      const turn = queue
        .then(() => grabNow(element, use))
        .finally(() => {
          queued -= 1;
        });
      queue = turn.catch(() => {});
      return turn;
    },
    onEnded(listener) {
      track.addEventListener("ended", listener, { once: true });
    },
    stop() {
      for (const each of stream.getTracks()) each.stop();
      sink.srcObject = null;
      sink.remove();
      beat.remove();
    },
  };
}

const CORNER = {
  ...{ position: "fixed", right: "0", bottom: "0", width: "1px", height: "1px", pointerEvents: "none" },
} as const;

/** Without something that plays it for good, the second change of the target never comes into force. */
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

/** What was changed before the first is drawn by the second. */
const twoFrames = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });

/** Frames have even sizes, and for a moment after a change the size of before. */
function fits(element: HTMLElement | undefined): (frame: VideoFrame) => boolean {
  if (!element) return () => true;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const ratio = window.devicePixelRatio;
  // What sticks out of the window is not drawn.
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
/** declined: the user closed the browser's question; refused: the system lets no page capture. */
export type Unshared = "declined" | "refused" | "other-tab" | "no-screen";

/** Options that the usual types do not have yet. */
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

/** Has the browser ask its user. Whatever else than asked for they chose is let go at once. */
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

/** Element Capture, which the usual types do not have yet (Chrome and Edge from 132 on). */
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

/** Why this browser cannot share a tab for screenshots. Undefined: it can. */
export function whyNot(isSecure: boolean, isCapable: boolean): string | undefined {
  if (!isSecure) return "This page came over plain http. Open it at localhost or over https.";
  if (!isCapable)
    return "This browser cannot capture single panels. Open the workspace in Chrome or Edge 132 or newer.";
  return undefined;
}

/** Of CSS colours as they are computed: those that let nothing, or all, of what is below through. */
const isClear = (colour: string): boolean => colour === "transparent" || /^rgba\(.*, 0\)$|\/ 0\)$/.test(colour);

/** The first that can be seen, from the element itself outwards. */
export const backdropAmong = (colours: readonly string[]): string =>
  colours.find((colour) => !isClear(colour)) ?? "Canvas";

/**
 * An element that is captured alone has nothing below it: what is clear in it would be black. Gives it the colour that
 * one sees there, until the function that comes back is called; undefined when it has a colour of its own.
 */
function paintBackdrop(element: HTMLElement): (() => void) | undefined {
  const colours: string[] = [];
  for (let each: Element | null = element; each; each = each.parentElement) {
    colours.push(getComputedStyle(each).backgroundColor);
  }
  if (!isClear(colours[0] ?? "")) return undefined;
  const before = element.style.backgroundColor;
  element.style.backgroundColor = backdropAmong(colours);
  return () => {
    element.style.backgroundColor = before;
  };
}
