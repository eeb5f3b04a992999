import "./webview.css";
import type { JsonObject, Order } from "@backplane/contract/panels";
import { createRef, type FormEvent, type Ref, type RefObject, useEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { type MountPanel, OrderRefused, type PanelContext } from "../../panel.ts";
import { createFrameHolder, FrameSlot } from "../driven-panel.tsx";
import { reactPanel, usePanelState } from "../react-panel.tsx";
import { AddressBar, useAddress } from "./address-bar.tsx";
import { hostWords } from "./addresses.ts";
import { type Control, createControl } from "./control.ts";
import { addressFor, type FaultOffer, type FrameFault } from "./faults.ts";
import { LINE_AFTER_MS, LONG_AFTER_MS, WORD_AFTER_MS } from "./limits.ts";
import { WebFrame } from "./web-frame.ts";

export const mount: MountPanel = (element, context) => {
  const holder = createFrameHolder();
  const field = createRef<HTMLInputElement>();
  const control = createControl(context);
  const frame = new WebFrame({ holder, context, control });
  const stopOrders = context.onOrder((order) => answer(order, frame, context));
  const view = <Webview context={context} control={control} frame={frame} holder={holder} fieldRef={field} />;
  return reactPanel(element, view, {
    // Not into the frame if possible: the keys of the workspace do not work there.
    focus: () => (field.current ? field.current.focus() : frame.focus()),
    dispose() {
      stopOrders();
      frame.dispose();
    },
  });
};

async function answer(order: Order, frame: WebFrame, context: PanelContext): Promise<JsonObject> {
  if (order.kind === "refresh") await frame.reload();
  else if (order.kind !== "webview") throw new OrderRefused("unsupported", "A web view cannot do this.");
  const { address, title, scroll, loadingSinceMs, fault } = frame.view();
  return {
    url: address ?? null,
    title: title ?? null,
    scroll,
    loading: loadingSinceMs !== undefined || frame.isChecking(),
    fault: fault ? `${fault.title}. ${fault.detail}` : context.state().url === undefined ? "No address yet." : null,
  };
}

type Props = {
  context: PanelContext;
  control: Control;
  frame: WebFrame;
  holder: HTMLElement;
  fieldRef: RefObject<HTMLInputElement | null>;
};

function Webview({ context, control, frame, holder, fieldRef }: Props) {
  const view = useSyncExternalStore(frame.subscribe, frame.view);
  const { headerHidden, proxyEnabled } = usePanelState(context);
  const isHeaderHidden = headerHidden === true;

  const open = (url: string) => control.act({ action: "navigate", url });
  const setProxy = (enabled: boolean) => control.act({ action: "setProxyEnabled", enabled });
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
          onGo={(step) => frame.go(step)}
          onReload={() => void frame.reload()}
          onStop={() => frame.stop()}
          onProxy={setProxy}
        />
      )}
      <div className="panel-view" aria-busy={view.loadingSinceMs !== undefined}>
        <FrameSlot holder={holder} isTabStop={isHeaderHidden} />
        {view.address !== undefined && view.loadingSinceMs !== undefined && (
          <LoadLine key={view.loadingSinceMs} address={view.address} />
        )}
        {view.address === undefined && <NoAddress ref={fieldRef} onOpen={open} />}
        {view.fault && <FaultView fault={view.fault} onOffer={(offer) => void take(offer)} />}
      </div>
    </div>
  );
}

const OFFER_WORDS: Record<FaultOffer, string> = {
  proxy: "Load it through the proxy",
  direct: "Load it directly",
  https: "Try https",
  again: "Try again",
  anyway: "Show it anyway",
};

type FaultProps = { fault: FrameFault; onOffer: (offer: FaultOffer) => void };

/** Replaces a blank page: why it is blank, and what to do about it. */
function FaultView({ fault, onOffer }: FaultProps) {
  return (
    <div className="panel-message webview-over" role="alert">
      <Icon name={fault.code === "stopped" ? "info" : "warning"} />
      <h3>{fault.title}</h3>
      <p>{fault.detail}</p>
      {fault.offers.length > 0 && (
        <div className="row webview-offers">
          {fault.offers.map((offer, index) => (
            <Button key={offer} {...(index === 0 ? { look: "primary" as const } : {})} onClick={() => onOffer(offer)}>
              {OFFER_WORDS[offer]}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

type NoAddressProps = { onOpen: (url: string) => Promise<string | undefined>; ref: Ref<HTMLInputElement> };

function NoAddress({ onOpen, ref }: NoAddressProps) {
  const address = useAddress("", onOpen);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void address.submit();
  };
  return (
    <div className="panel-message webview-over">
      <Icon name="globe" />
      <h3>No address yet</h3>
      <form className="webview-first" onSubmit={submit}>
        <Field
          ref={ref}
          label="Address of a page"
          name="address"
          value={address.value}
          onChange={address.type}
          fault={address.hint}
          hint="For example parts.example.com/md340, localhost:3000 or 192.168.1.20"
        />
        <Button type="submit" look="primary" busy={address.isAsking}>
          Open the page
        </Button>
      </form>
      <p>Everybody who has this workspace open sees the page.</p>
    </div>
  );
}

type Stage = "quiet" | "line" | "word" | "long";
const STAGES: readonly [Stage, number][] = [
  ["line", LINE_AFTER_MS],
  ["word", WORD_AFTER_MS],
  ["long", LONG_AFTER_MS],
];

/** Nothing at first, then a thin line, then a text. Its `key` is the load. */
function LoadLine({ address }: { address: string }) {
  const [stage, setStage] = useState<Stage>("quiet");

  useEffect(() => {
    const timers = STAGES.map(([name, afterMs]) => setTimeout(setStage, afterMs, name));
    return () => timers.forEach(clearTimeout);
  }, []);

  if (stage === "quiet") return null;
  return (
    <>
      <div className="webview-line" />
      {stage !== "line" && (
        <p className="webview-loading" role="status">
          {stage === "word"
            ? `Loading ${hostWords(address)}`
            : `${hostWords(address)} is still loading after ${LONG_AFTER_MS / 1_000} s`}
        </p>
      )}
    </>
  );
}
