import { type RefObject, useLayoutEffect, useState } from "react";

/** Whether there is more in a strip than it has room for. */
export function useOverflow(strip: RefObject<HTMLElement | null>): boolean {
  const [isOver, setOver] = useState(false);

  // Every time it is drawn: another name, another number of tabs.
  useLayoutEffect(() => {
    const box = strip.current;
    if (!box) return;
    const measure = () => setOver(box.scrollWidth > box.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  });

  return isOver;
}
