import { useCallback, useEffect, useState } from "react";
import type { PanelContext } from "../../panel.ts";

const pathOf = (state: { path?: unknown }): string | undefined =>
  typeof state.path === "string" && state.path !== "" ? state.path : undefined;

/** The file that the panel's state names. What is chosen here holds at once, and is told to the other browsers. */
export function usePanelPath(context: PanelContext) {
  const [wanted, setWanted] = useState(() => pathOf(context.state()));
  useEffect(() => context.onState((state) => setWanted(pathOf(state))), [context]);

  const choose = useCallback(
    (path: string) => {
      setWanted(path);
      // Not kept when nobody answers: the page says so, and the file is open here all the same.
      void context.setState({ path, ...("line" in context.state() ? { line: null } : {}) }).catch(() => {});
    },
    [context],
  );
  return { wanted, choose };
}
