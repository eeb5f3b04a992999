import { PANELS_LIMITS } from "@backplane/contract/panels";
import { type FormEvent, type KeyboardEvent, type Ref, useEffect, useId, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { FaultLine } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { completeAddress } from "./addresses.ts";
import { BLANK_HINT_AFTER_MS, LINE_AFTER_MS } from "./limits.ts";
import type { FrameView } from "./web-frame.ts";

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

type ButtonProps = { isOpen: boolean; controls: string; onToggle: () => void };

/**
 * No browser tells a page that what it framed stayed blank. So the question is there for whoever has it, in a place where
 * it moves nothing.
 */
function BlankButton({ isOpen, controls, onToggle }: ButtonProps) {
  const [isShown, setShown] = useState(false);

  useEffect(() => {
    const timer = setTimeout(setShown, BLANK_HINT_AFTER_MS, true);
    return () => clearTimeout(timer);
  }, []);

  if (!isShown) return null;
  return (
    <button
      className="btn small quiet webview-ask"
      type="button"
      title="Nothing to see?"
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={onToggle}
    >
      <Icon name="info" />
      <span>Nothing to see?</span>
    </button>
  );
}

function BlankWords({ id, onProxy }: { id: string; onProxy: () => void }) {
  return (
    <div className="webview-words webview-blank" id={id}>
      <p>Nothing to see? The site may refuse to be framed, or not answer. The proxy helps with the first.</p>
      <Button size="small" onClick={onProxy}>
        Load it through the proxy
      </Button>
    </div>
  );
}

const shapes = {
  back: "M13 8H3M7 4L3 8l4 4",
  forward: "M3 8h10M9 4l4 4-4 4",
  reload: "M13.25 8A5.25 5.25 0 1 1 11.6 4.2L13.25 5.75M13.25 2.5v3.25H10",
  stop: "M4 4l8 8M12 4l-8 8",
} as const;

function ToolIcon({ name }: { name: keyof typeof shapes }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}

/** A field that takes an address: what is typed is never cleared, and what is wrong with it stands beside it. */
export function useAddress(shown: string, open: (url: string) => Promise<string | undefined>) {
  const [draft, setDraft] = useState<string>();
  const [hint, setHint] = useState<string>();
  const [isAsking, setAsking] = useState(false);

  const submit = async (): Promise<boolean> => {
    if (isAsking) return false;
    const completed = completeAddress(draft ?? shown);
    if (!completed.ok) {
      setHint(completed.hint);
      return false;
    }
    setAsking(true);
    const words = await open(completed.url);
    setAsking(false);
    setHint(words);
    if (words !== undefined) return false;
    setDraft(undefined);
    return true;
  };

  return {
    value: draft ?? shown,
    hint,
    isAsking,
    submit,
    type(text: string) {
      setDraft(text);
      setHint(undefined);
    },
    reset() {
      setDraft(undefined);
      setHint(undefined);
    },
  };
}

/** Whether a load has become worth stopping: a second click on "Reload" is not meant as one on "Stop". */
function useSlow(sinceMs: number | undefined): boolean {
  const [slow, setSlow] = useState<number>();

  useEffect(() => {
    const timer = setTimeout(setSlow, LINE_AFTER_MS, sinceMs);
    return () => clearTimeout(timer);
  }, [sinceMs]);

  return sinceMs !== undefined && slow === sinceMs;
}
