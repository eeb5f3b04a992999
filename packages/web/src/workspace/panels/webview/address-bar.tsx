import { PANELS_LIMITS } from "@backplane/contract/panels";
import { type FormEvent, type KeyboardEvent, type Ref, useId, useState } from "react";
import { FaultLine } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { BlankButton, BlankWords } from "./blank-hint.tsx";
import type { FrameView } from "./frame-view.ts";
import { ToolIcon } from "./tool-icon.tsx";
import { useAddress } from "./use-address.ts";
import { useSlow } from "./use-slow.ts";

type Props = {
  view: FrameView;
  /** Undefined: it was done. Else why not. */
  onOpen: (url: string) => Promise<string | undefined>;
  onGo: (step: -1 | 1) => Promise<string | undefined>;
  onReload: () => void;
  onStop: () => void;
  onProxy: (enabled: boolean) => Promise<string | undefined>;
  showsIcon: boolean;
  ref: Ref<HTMLInputElement> | null;
};

const WANDERED =
  "The page led on by itself. Where to, a directly shown page does not tell: this is where it was opened.";

/** What the page is, where it came from, and the ways on from it. */
export function AddressBar({ view, onOpen, onGo, onReload, onStop, onProxy, showsIcon, ref }: Props) {
  const id = useId();
  const address = useAddress(view.address ?? "", onOpen);
  const [fault, setFault] = useState<string>();
  const [blankAt, setBlankAt] = useState<string>();
  const words = address.hint ?? fault;
  const mayBeBlank = view.mayBeBlank && view.fault === undefined;
  const asksBlank = mayBeBlank && blankAt === view.address;
  const isSlow = useSlow(view.loadingSinceMs);
  const say = async (work: Promise<string | undefined>) => setFault(await work);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setFault(undefined);
    await address.submit();
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Escape") return;
    address.reset();
    event.currentTarget.select();
  };

  return (
    <div className="webview-head">
      <form className="panel-tools" onSubmit={submit}>
        <Tool name="back" label="Back" off={!view.canGoBack} onClick={() => say(onGo(-1))} />
        <Tool name="forward" label="Forward" off={!view.canGoForward} onClick={() => say(onGo(1))} />
        {isSlow ? (
          <Tool name="stop" label="Stop" onClick={onStop} />
        ) : (
          <Tool name="reload" label="Reload" off={view.address === undefined} onClick={onReload} />
        )}
        <div className={words === undefined ? "input" : "input bad"}>
          {showsIcon && view.icon ? <img className="webview-icon" src={view.icon} alt="" /> : <Icon name="globe" />}
          <input
            ref={ref}
            value={address.value}
            aria-label="Address"
            aria-invalid={words !== undefined || undefined}
            aria-describedby={words === undefined ? undefined : id}
            placeholder="Type an address"
            type="text"
            inputMode="url"
            enterKeyHint="go"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={PANELS_LIMITS.maxUrlLength}
            onChange={(event) => address.type(event.target.value)}
            onFocus={(event) => event.target.select()}
            onKeyDown={press}
          />
          {view.hasWandered && (
            <span className="webview-wandered small muted" title={WANDERED}>
              Moved on<span className="sr">. {WANDERED}</span>
            </span>
          )}
          {mayBeBlank && (
            <BlankButton
              key={view.address}
              isOpen={asksBlank}
              controls={`${id}-blank`}
              onToggle={() => setBlankAt(asksBlank ? undefined : view.address)}
            />
          )}
        </div>
        <button
          className="switch"
          type="button"
          role="switch"
          aria-checked={view.isProxied}
          title="Loads the page through Backplane. For sites that refuse to be framed."
          onClick={() => say(onProxy(!view.isProxied))}
        >
          Proxy
          <i />
        </button>
      </form>
      {words !== undefined && (
        <div className="webview-words">
          <FaultLine id={id}>{words}</FaultLine>
        </div>
      )}
      {asksBlank && <BlankWords id={`${id}-blank`} onProxy={() => say(onProxy(true))} />}
    </div>
  );
}

type ToolProps = { name: "back" | "forward" | "reload" | "stop"; label: string; off?: boolean; onClick: () => void };

/** It stays in the order of Tab while it can do nothing, so that the focus never falls out of the bar. */
function Tool({ name, label, off = false, onClick }: ToolProps) {
  return (
    <button
      className="icon-btn small"
      type="button"
      aria-label={label}
      title={label}
      aria-disabled={off || undefined}
      onClick={() => off || onClick()}
    >
      <ToolIcon name={name} />
    </button>
  );
}
