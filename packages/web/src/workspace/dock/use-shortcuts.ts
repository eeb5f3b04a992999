import { useEffect, useRef } from "react";
import { type Shortcut, shortcutOf } from "./shortcuts.ts";

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

const TYPED_IN = "input:not([type=checkbox], [type=radio], [type=button], [type=range]), textarea, select";

/** Whether keys make text there. */
function isTyped(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TYPED_IN));
}

/** The keys of the workspace. What a panel or a dialog has used already is not used twice. */
export function useShortcuts(run: (shortcut: Shortcut) => void): void {
  const latest = useRef(run);
  latest.current = run;

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
      const shortcut = shortcutOf(event, { isTyping: isTyped(event.target), isMac: isMac() });
      if (!shortcut) return;
      event.preventDefault();
      latest.current(shortcut);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
