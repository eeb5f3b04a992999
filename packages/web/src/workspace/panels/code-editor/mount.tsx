import { createRoot } from "react-dom/client";
import type { MountPanel } from "../../panel.ts";
import { CodeEditor } from "./code-editor.tsx";

export const mount: MountPanel = (element, context) => {
  const root = createRoot(element);
  const focus = { current: () => {} };
  root.render(<CodeEditor context={context} focus={focus} />);
  return {
    focus: () => focus.current(),
    // Not in the midst of another root's work.
    dispose: () => queueMicrotask(() => root.unmount()),
  };
};
