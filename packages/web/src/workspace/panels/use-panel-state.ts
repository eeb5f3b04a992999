import type { JsonObject } from "@backplane/contract/panels";
import { useEffect, useState } from "react";
import type { PanelContext } from "../panel.ts";

/** The tab's state, as it is now. */
export function usePanelState({ state, onState }: PanelContext): JsonObject {
  const [shown, setShown] = useState(state);
  useEffect(() => {
    setShown(state());
    return onState(setShown);
  }, [state, onState]);
  return shown;
}
