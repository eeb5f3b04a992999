import { useEffect } from "react";
import type { PanelContext } from "../../panel.ts";
import type { OpenFile } from "./open-file.ts";

/** How often a file that is in sight is asked for: what others than the server change is in no log. */
const FOLLOW_MS = 10_000;

/** Reads the file, and follows what others save while somebody can see it. */
export function useFollow(file: OpenFile, { onLog, onReconnect }: Pick<PanelContext, "onLog" | "onReconnect">): void {
  useEffect(() => {
    void file.load();
    const look = () => {
      if (document.visibilityState === "visible") void file.check();
    };
    const timer = setInterval(look, FOLLOW_MS);
    const ends = [
      onLog((entries) => {
        if (entries.some(({ source }) => source === "files")) look();
      }),
      onReconnect(look),
    ];
    window.addEventListener("focus", look);
    return () => {
      clearInterval(timer);
      for (const end of ends) end();
      window.removeEventListener("focus", look);
    };
  }, [file, onLog, onReconnect]);
}
