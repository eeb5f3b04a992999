import type { ScreenshotScope, ScreenshotStatus } from "@backplane/contract/panels";
import { surfacesOf } from "../live/shared-surfaces.ts";
import type { PresentBrowser } from "../services.ts";

const SCOPES: Record<"browser" | "monitor" | "window", readonly ScreenshotScope[]> = {
  browser: ["panel", "workspace"],
  monitor: ["screen"],
  window: [],
};

/** What can be captured now, by whichever browser shares it. */
export function statusOf(browsers: readonly PresentBrowser[]): ScreenshotStatus {
  const sharing = browsers.map((browser) => browser.sharing).filter(({ active }) => active);
  const availableScopes = sharing.flatMap(surfacesOf).flatMap((surface) => SCOPES[surface]);
  const [first] = sharing;
  return {
    sharing: { active: first !== undefined, displaySurface: first?.displaySurface ?? null },
    availableScopes: [...new Set(availableScopes)],
  };
}
