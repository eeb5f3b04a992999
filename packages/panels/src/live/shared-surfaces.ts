import type { DisplaySurface, ScreenshotScope, Sharing } from "@backplane/contract/panels";

export const surfacesOf = ({ active, displaySurface, surfaces }: Sharing): readonly DisplaySurface[] =>
  active ? (surfaces ?? (displaySurface ? [displaySurface] : [])) : [];

/** What must be shared for a screenshot of this scope. */
export const surfaceFor = (scope: ScreenshotScope): DisplaySurface => (scope === "screen" ? "monitor" : "browser");
