import type { ScreenshotScope, ScreenshotStatus } from "../contract.ts";
import type { PresentBrowser } from "../services.ts";

const SCOPES: Record<"browser" | "monitor" | "window", readonly ScreenshotScope[]> = {
  browser: ["panel", "workspace"],
  monitor: ["screen"],
  window: [],
};

/** What can be captured now, by whichever browser shares it. */
export function statusOf(browsers: readonly PresentBrowser[]): ScreenshotStatus {
  const sharing = browsers.map((browser) => browser.sharing).filter(({ active }) => active);
  const availableScopes = sharing.flatMap(({ displaySurface }) => (displaySurface ? SCOPES[displaySurface] : []));
  return {
    sharing: sharing[0] ?? { active: false, displaySurface: null },
    availableScopes: [...new Set(availableScopes)],
  };
}
