import { useEffect, useRef } from "react";
import type { Side } from "./dock/geometry.ts";

/** What a key does in the workspace. */
export type Shortcut =
  | { do: "add" | "undo" | "help" | "maximise" | "close" | "menu" }
  | { do: "panel"; step: 1 | -1 }
  | { do: "move"; side: Side }
  | { do: "split"; side: "right" | "down" };

export type Key = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

const sides: Record<string, Side> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/**
 * In text fields only F6 and Ctrl K work, because text does not need them. Letters are compared by `code`, because Alt
 * changes `key` on some keyboards.
 */
export function shortcutOf(
  event: Key,
  { isTyping, isMac }: { isTyping: boolean; isMac: boolean },
): Shortcut | undefined {
  const { key, code, altKey, shiftKey } = event;
  const command = isMac ? event.metaKey : event.ctrlKey;
  const other = isMac ? event.ctrlKey : event.metaKey;
  if (key === "F6" && !command && !other && !altKey) return { do: "panel", step: shiftKey ? -1 : 1 };
  if (command && !other && !altKey && !shiftKey && code === "KeyK") return { do: "add" };
  if (isTyping) return undefined;
  if (command && !other && !altKey && !shiftKey && code === "KeyZ") return { do: "undo" };
  if (command || other) return undefined;
  if (key === "?" && !altKey) return { do: "help" };
  if (!altKey || !shiftKey) return undefined;
  const side = sides[key];
  if (side) return { do: "move", side };
  switch (code) {
    case "KeyR":
      return { do: "split", side: "right" };
    case "KeyB":
      return { do: "split", side: "down" };
    case "KeyM":
      return { do: "maximise" };
    case "KeyW":
      return { do: "close" };
    case "KeyO":
      return { do: "menu" };
  }
  return undefined;
}

type Line = { keys: string[]; what: string };

/** The list that `?` shows. */
export function shortcutLines(isMac: boolean): Line[] {
  const command = isMac ? "⌘" : "Ctrl";
  const alt = isMac ? "⌥" : "Alt";
  return [
    { keys: [command, "K"], what: "Add a panel, or run a command" },
    { keys: ["F6"], what: "Next panel" },
    { keys: ["Shift", "F6"], what: "Previous panel" },
    { keys: ["←", "→"], what: "On a tab: previous or next tab" },
    { keys: ["Enter"], what: "On a tab: into the panel" },
    { keys: ["Delete"], what: "On a tab: close it" },
    { keys: [alt, "Shift", "← → ↑ ↓"], what: "Move the tab to the panel on that side, or to a new one" },
    { keys: [alt, "Shift", "R"], what: "Split right" },
    { keys: [alt, "Shift", "B"], what: "Split below" },
    { keys: [alt, "Shift", "M"], what: "Maximise the panel, or restore it" },
    { keys: [alt, "Shift", "W"], what: "Close the tab" },
    { keys: [alt, "Shift", "O"], what: "Open the panel menu" },
    { keys: [command, "Z"], what: "Undo the last layout change" },
    { keys: ["← → ↑ ↓"], what: "Between two panels: resize; Enter makes them equal" },
    { keys: ["Esc", "Esc"], what: "Stop all devices" },
    { keys: ["R"], what: "Start or stop a recording" },
    { keys: ["Shift", "R"], what: "Keep the last 10 minutes as a recording" },
    { keys: [", ."], what: "In a replay: previous or next mark" },
    { keys: ["K"], what: "In a replay: play or pause" },
    { keys: ["[ ]"], what: "In a replay: slower or faster" },
    { keys: ["?"], what: "Show this list" },
  ];
}

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

const TEXT_FIELDS = "input:not([type=checkbox], [type=radio], [type=button], [type=range]), textarea, select";

/** Whether keys type text there. */
function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXT_FIELDS));
}

/** What these do depends on the layout. */
const OF_LAYOUT: ReadonlySet<Shortcut["do"]> = new Set(["undo", "close", "move", "split"]);

/**
 * The keyboard shortcuts of the workspace. Keys that a panel or dialog has handled are ignored. A key that is pressed before
 * the page shows what the one before it did is for what it will show.
 */
export function useShortcuts(run: (shortcut: Shortcut) => void, caughtUp: () => Promise<void> | undefined): void {
  const latest = useRef(run);
  latest.current = run;

  useEffect(() => {
    let last: Promise<void> | undefined;
    const inTurn = (shortcut: Shortcut) => {
      if (!last && !caughtUp()) return latest.current(shortcut);
      const mine = Promise.resolve(last)
        .then(caughtUp)
        .then(() => {
          if (last === mine) last = undefined;
          latest.current(shortcut);
        });
      last = mine;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
      const shortcut = shortcutOf(event, { isTyping: isTextField(event.target), isMac: isMac() });
      if (!shortcut) return;
      event.preventDefault();
      if (OF_LAYOUT.has(shortcut.do)) inTurn(shortcut);
      else latest.current(shortcut);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [caughtUp]);
}
