import "../panel-tools.css";
import "./planned.css";
import { createRoot } from "react-dom/client";
import type { MountPanel } from "../../panel.ts";
import { Planned } from "./planned.tsx";

export const mount: MountPanel = (element, context) => {
  const root = createRoot(element);
  root.render(<Planned context={context} />);
  return {
    focus: () => element.querySelector("button")?.focus(),
    dispose: () => root.unmount(),
  };
};
