import { useEffect, useRef } from "react";

/** Where letters are typed or choose something, and dialogs, which are answered first. */
const KEEPS_LETTERS = "input:not([type=range]), textarea, select, [contenteditable], [role=menu], dialog";

/** Keys of the bars around the panels, by name; letters in lower case. Keys that a panel has handled are ignored. */
export function useBarKeys(keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
      if (target instanceof Element && target.closest(KEEPS_LETTERS)) return;
      const act = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}
