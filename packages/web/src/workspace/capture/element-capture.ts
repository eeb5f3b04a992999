/** Element Capture, which the usual types do not have yet (Chrome and Edge from 132 on). */
type RestrictionTarget = { readonly __restrictionTarget: unique symbol };
type RestrictionTargets = { fromElement(element: Element): Promise<RestrictionTarget> };

export type RestrictableTrack = MediaStreamTrack & { restrictTo(target: RestrictionTarget | null): Promise<void> };

type Scope = {
  RestrictionTarget?: RestrictionTargets;
  BrowserCaptureMediaStreamTrack?: { prototype: object };
};

const scope = globalThis as Scope;

export const hasElementCapture = (): boolean =>
  scope.RestrictionTarget !== undefined &&
  "restrictTo" in (scope.BrowserCaptureMediaStreamTrack?.prototype ?? {}) &&
  typeof globalThis.navigator?.mediaDevices?.getDisplayMedia === "function";

export async function restrictTo(track: MediaStreamTrack, element: HTMLElement): Promise<void> {
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
