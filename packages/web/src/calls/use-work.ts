import { useRef, useState } from "react";

/** Runs one thing at a time: a second click while the first is under way does nothing. */
export function useWork() {
  const working = useRef(false);
  const [busy, setBusy] = useState(false);

  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (working.current) return;
    working.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      working.current = false;
      setBusy(false);
    }
  };

  return { busy, run };
}
