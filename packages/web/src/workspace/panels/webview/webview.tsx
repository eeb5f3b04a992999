import { type RefObject, useState, useSyncExternalStore } from "react";
import type { PanelContext } from "../../panel.ts";
import { usePanelState } from "../react-panel.tsx";
import { AddressBar } from "./address-bar.tsx";
import type { Control } from "./control.ts";
import { FaultView } from "./fault-view.tsx";
import { addressFor, type FaultOffer } from "./faults.ts";
import { LoadLine } from "./load-line.tsx";
import { NoAddress } from "./no-address.tsx";
import type { WebFrame } from "./web-frame.ts";

type Props = {
  context: PanelContext;
  control: Control;
  frame: WebFrame;
  /** Holds the frame. It is put in its place once and never moved: a moved frame loads again. */
  holder: HTMLElement;
  fieldRef: RefObject<HTMLInputElement | null>;
};

export function Webview({ context, control, frame, holder, fieldRef }: Props) {
  const view = useSyncExternalStore(frame.subscribe, frame.view);
  const { headerHidden, proxyEnabled } = usePanelState(context);
  const [place] = useState(() => (slot: HTMLElement | null) => {
    if (slot && holder.parentElement !== slot) slot.append(holder);
  });
  const isHeaderHidden = headerHidden === true;

  const open = (url: string) => control.ask({ action: "navigate", url });
  const setProxy = (enabled: boolean) => control.ask({ action: "setProxyEnabled", enabled });
  const take = async (offer: FaultOffer) => {
    if (offer === "again") await frame.reload();
    if (offer === "anyway") await frame.showAnyway();
    if (offer === "proxy" || offer === "direct") await setProxy(offer === "proxy");
    if (offer === "https" && view.address !== undefined) await open(addressFor(offer, view.address));
  };

  return (
    <div className="panel-root">
      {!isHeaderHidden && (
        <AddressBar
          ref={view.address === undefined ? null : fieldRef}
          view={{ ...view, isProxied: proxyEnabled === true }}
          showsIcon={context.displayIcon() === undefined}
          onOpen={open}
          onGo={frame.go}
          onReload={() => void frame.reload()}
          onStop={frame.stop}
          onProxy={setProxy}
        />
      )}
      <div className="panel-view" aria-busy={view.loadingSinceMs !== undefined}>
        <div className="webview-slot" ref={place} />
        {view.address !== undefined && view.loadingSinceMs !== undefined && (
          <LoadLine key={view.loadingSinceMs} address={view.address} />
        )}
        {view.address === undefined && <NoAddress ref={fieldRef} onOpen={open} />}
        {view.fault && <FaultView fault={view.fault} onOffer={(offer) => void take(offer)} />}
      </div>
    </div>
  );
}
