import { useEffect } from "react";
import type { PanelContext } from "../../panel.ts";

/** How often visible files are checked: changes made outside Backplane are not in the log. */
const CHECK_EVERY_MS = 10_000;

/** Checks files while the page is visible, when somebody saved one, and when the connection or the window is back. */
export function useFollowFiles(
  check: () => void,
  { onLog, onReconnect }: Pick<PanelContext, "onLog" | "onReconnect">,
): void {
  useEffect(() => {
    const checkIfSeen = () => {
      if (document.visibilityState === "visible") check();
    };
    const timer = setInterval(checkIfSeen, CHECK_EVERY_MS);
    const stopLog = onLog((entries) => {
      if (entries.some(({ source }) => source === "files")) checkIfSeen();
    });
    const stopReconnect = onReconnect(checkIfSeen);
    window.addEventListener("focus", checkIfSeen);
    return () => {
      clearInterval(timer);
      stopLog();
      stopReconnect();
      window.removeEventListener("focus", checkIfSeen);
    };
  }, [check, onLog, onReconnect]);
}
