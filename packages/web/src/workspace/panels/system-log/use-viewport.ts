import { type RefObject, useEffect, useState } from "react";
import { ROW_PX, TOUCH_ROW_PX } from "./limits.ts";
import type { Viewport } from "./window.ts";

const NONE: Viewport = { scrollTop: 0, height: 0, rowPx: ROW_PX };

/** What of a scrolled element is in view, kept as it changes. */
export function useViewport(scroller: RefObject<HTMLElement | null>, onScroll: (viewport: Viewport) => void): Viewport {
  const [viewport, setViewport] = useState(NONE);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const touch = window.matchMedia("(pointer: coarse)");
    const measure = (): Viewport => ({
      scrollTop: element.scrollTop,
      height: element.clientHeight,
      rowPx: touch.matches ? TOUCH_ROW_PX : ROW_PX,
    });
    const resized = () => setViewport(measure());
    const scrolled = () => {
      const now = measure();
      setViewport(now);
      onScroll(now);
    };
    const observer = new ResizeObserver(resized);
    observer.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    touch.addEventListener("change", resized);
    resized();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", scrolled);
      touch.removeEventListener("change", resized);
    };
  }, [scroller, onScroll]);

  return viewport;
}
