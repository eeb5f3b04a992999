import { createRoot } from "react-dom/client";
import type { MountPanel } from "../../panel.ts";
import { ScriptRunner } from "./script-runner.tsx";

export const mount: MountPanel = (element, context) => {
  const root = createRoot(element);
  root.render(<ScriptRunner context={context} />);
  return {
    focus: () => element.querySelector<HTMLElement>("input, button")?.focus(),
    // Not in the midst of another root's work.
    dispose: () => queueMicrotask(() => root.unmount()),
  };
};
