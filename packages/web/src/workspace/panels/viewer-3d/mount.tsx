import { createRoot } from "react-dom/client";
import type { MountPanel } from "../../panel.ts";
import { Viewer3d } from "./viewer-3d.tsx";

export const mount: MountPanel = (element, context) => {
  const root = createRoot(element);
  root.render(<Viewer3d context={context} />);
  return {
    focus: () => element.querySelector<HTMLElement>("[data-takes-keys], input")?.focus(),
    // Not in the midst of another root's work.
    dispose: () => queueMicrotask(() => root.unmount()),
  };
};
