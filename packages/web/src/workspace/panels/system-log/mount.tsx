import "../panel-tools.css";
import "./system-log.css";
import { createRef } from "react";
import { createRoot } from "react-dom/client";
import type { MountPanel } from "../../panel.ts";
import { createLogStore } from "./log-store.ts";
import { SystemLog } from "./system-log.tsx";

export const mount: MountPanel = (element, context) => {
  const store = createLogStore(context);
  const list = createRef<HTMLDivElement>();
  const root = createRoot(element);
  root.render(<SystemLog context={context} store={store} list={list} />);
  void store.load();
  context.mounted();

  return {
    focus: () => list.current?.focus(),
    dispose() {
      store.dispose();
      root.unmount();
    },
  };
};
