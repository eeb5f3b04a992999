import { useEffect, useState } from "react";
import { LINE_AFTER_MS } from "./limits.ts";

/** Whether a load has become worth stopping: a second click on "Reload" is not meant as one on "Stop". */
export function useSlow(sinceMs: number | undefined): boolean {
  const [slow, setSlow] = useState<number>();

  useEffect(() => {
    const timer = setTimeout(setSlow, LINE_AFTER_MS, sinceMs);
    return () => clearTimeout(timer);
  }, [sinceMs]);

  return sinceMs !== undefined && slow === sinceMs;
}
