import "./panel-tools.css";
import type { JsonObject } from "@backplane/contract/panels";
import { type ReactNode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import type { DeviceContext, Panel } from "../panel.ts";

type Options = Pick<Panel, "focus" | "rasterise"> & { dispose?(): void };

/** A panel that is drawn by React. `dispose` runs before the tree is unmounted. */
export function reactPanel(element: HTMLElement, node: ReactNode, { dispose, ...panel }: Options = {}): Panel {
  const root = createRoot(element);
  root.render(node);
  return {
    ...panel,
    dispose() {
      dispose?.();
      root.unmount();
    },
  };
}

/** The state of the panel's tab, kept up to date. */
export function usePanelState({ state, onState }: DeviceContext): JsonObject {
  const [shown, setShown] = useState(state);
  useEffect(() => {
    setShown(state());
    return onState(setShown);
  }, [state, onState]);
  return shown;
}
