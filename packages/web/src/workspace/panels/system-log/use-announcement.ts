import type { LogEntry } from "@backplane/contract/panels";
import { useEffect, useRef, useState } from "react";
import { announcementOf } from "./announce.ts";
import { ANNOUNCE_EVERY_MS } from "./limits.ts";

/** Words for a screen reader about what came since the last ones. Nothing about what was there before. */
export function useAnnouncement(lines: readonly LogEntry[], isLoaded: boolean): string {
  const [words, setWords] = useState("");
  const now = useRef(lines);
  now.current = lines;

  useEffect(() => {
    if (!isLoaded) return;
    let told = now.current.at(-1)?.id ?? -1;
    const timer = setInterval(() => {
      const fresh = now.current.filter(({ id }) => id > told);
      told = now.current.at(-1)?.id ?? told;
      if (fresh.length > 0) setWords(announcementOf(fresh) ?? "");
    }, ANNOUNCE_EVERY_MS);
    return () => clearInterval(timer);
  }, [isLoaded]);

  return words;
}
