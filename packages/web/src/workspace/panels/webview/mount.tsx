import "../panel-tools.css";
import "./webview.css";
import type { JsonObject, Order } from "@backplane/contract/panels";
import { createRef } from "react";
import { createRoot } from "react-dom/client";
import { type MountPanel, OrderRefused, type PanelContext } from "../../panel.ts";
import { createControl } from "./control.ts";
import { createWebFrame, type WebFrame } from "./web-frame.ts";
import { Webview } from "./webview.tsx";

export const mount: MountPanel = (element, context) => {
  const holder = document.createElement("div");
  holder.className = "webview-holder";
  const field = createRef<HTMLInputElement>();
  const control = createControl(context);
  const frame = createWebFrame({ holder, context, control });
  const root = createRoot(element);
  root.render(<Webview context={context} control={control} frame={frame} holder={holder} fieldRef={field} />);
  const stopOrders = context.onOrder((order) => answer(order, frame, context));

  return {
    // The frame keeps what is typed in it to itself: from the field, the keys of the workspace still work.
    focus: () => (field.current ? field.current.focus() : frame.focus()),
    dispose() {
      stopOrders();
      frame.dispose();
      root.unmount();
    },
  };
};

async function answer(order: Order, frame: WebFrame, context: PanelContext): Promise<JsonObject> {
  if (order.kind === "refresh") await frame.reload();
  else if (order.kind !== "webview") throw new OrderRefused("unsupported", "A web view does not do that.");
  const { address, title, scroll, loadingSinceMs, fault } = frame.view();
  return {
    url: address ?? null,
    title: title ?? null,
    scroll,
    loading: loadingSinceMs !== undefined || frame.isChecking(),
    fault: fault ? `${fault.title}. ${fault.detail}` : context.state().url === undefined ? "No address yet." : null,
  };
}
