import { useEffect, useState } from "react";

/**
 * Only a document that was loaded at the address of a workspace may hold frames: its policy comes with it. Whoever came
 * here by a step of the app gets the page anew.
 */
export function useOwnDocument(): boolean {
  const [isOwn] = useState(() => {
    const [load] = performance.getEntriesByType("navigation");
    return load === undefined || new URL(load.name).pathname.startsWith("/w/");
  });

  useEffect(() => {
    if (!isOwn) window.location.reload();
  }, [isOwn]);

  return isOwn;
}
