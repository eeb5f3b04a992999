import { useSyncExternalStore } from "react";

/** Also in the styles. */
const NARROW = "(max-width: 720px)";

const subscribe = (listener: () => void) => {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
};

/** One panel at a time. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
