import { CAPTURE_LIMITS } from "./limits.ts";
import { openSharedSurface, type SharedSurface } from "./shared-surface.ts";

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
