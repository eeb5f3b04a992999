import type { Layout, Tab } from "@backplane/contract/panels";
import { useEffect, useRef, useState } from "react";
import { tellChanges } from "./dock/layout-changes.ts";

/** What changed in the layout, for a live region. */
export function useAnnouncements(layout: Layout | undefined, nameOf: (tab: Tab) => string): string {
  const before = useRef(layout);
  const name = useRef(nameOf);
  name.current = nameOf;
  const [words, setWords] = useState("");

  useEffect(() => {
    const was = before.current;
    before.current = layout;
    if (!was || !layout || was === layout) return;
    const told = tellChanges(was, layout, name.current);
    if (told !== "") setWords(told);
  }, [layout]);

  return words;
}
