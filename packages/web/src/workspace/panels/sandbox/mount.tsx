import "../panel-tools.css";
import "./sandbox.css";
import { createRef } from "react";
import { createRoot } from "react-dom/client";
import type { MountPanel } from "../../panel.ts";
import { Sandbox } from "./sandbox.tsx";
import { createSandboxSession } from "./sandbox-session.ts";

export const mount: MountPanel = (element, context) => {
  const holder = document.createElement("div");
  holder.className = "sandbox-holder";
  const input = createRef<HTMLTextAreaElement>();
  const session = createSandboxSession(context, holder);
  const root = createRoot(element);
  root.render(<Sandbox session={session} holder={holder} inputRef={input} />);

  return {
    focus: () => input.current?.focus(),
    async rasterise() {
      // Where the frame draws nothing, one sees through it.
      const background = getComputedStyle(element.querySelector(".panel-root") ?? element).backgroundColor;
      return new Blob([await session.rasterise(background)], { type: "image/png" });
    },
    dispose() {
      session.dispose();
      root.unmount();
    },
  };
};
