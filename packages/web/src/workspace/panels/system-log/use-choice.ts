import type { JsonObject } from "@backplane/contract/panels";
import { useState } from "react";
import type { PanelContext } from "../../panel.ts";
import { usePanelState } from "../use-panel-state.ts";
import { choiceOf } from "./lines.ts";

/** What is shown of the log is part of the tab: others see the same. What is chosen here counts here at once. */
export function useChoice(context: PanelContext) {
  const state = usePanelState(context);
  const [local, setLocal] = useState<JsonObject>({});

  const choose = async (patch: JsonObject) => {
    setLocal((now) => ({ ...now, ...patch }));
    try {
      await context.setState(patch);
    } catch {
      // Nobody else sees it then; it still holds here.
      return;
    }
    setLocal((now) => Object.fromEntries(Object.entries(now).filter(([key, value]) => patch[key] !== value)));
  };

  return { choice: choiceOf({ ...state, ...local }), choose };
}
