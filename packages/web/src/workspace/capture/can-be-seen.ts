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

export function lookAt(element: HTMLElement): string | undefined {
  return whyNotSeen({
    box: element.getBoundingClientRect(),
    isVisible: element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }),
    isolation: getComputedStyle(element).isolation,
    isConnected: element.isConnected,
    viewport: { width: window.innerWidth, height: window.innerHeight },
  });
}
