import { PANELS_LIMITS } from "@backplane/contract/panels";
import { type FormEvent, type KeyboardEvent, type Ref, useEffect, useId, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { FaultLine } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { ToolButton } from "../../parts/tool-button.tsx";
import { completeAddress } from "./addresses.ts";
import { BLANK_HINT_AFTER_MS, LINE_AFTER_MS } from "./limits.ts";
import type { FrameView } from "./web-frame.ts";

type Props = {
  view: FrameView;
  /** These resolve to undefined when it was done, otherwise to the reason why not. */
  onOpen: (url: string) => Promise<string | undefined>;
  onGo: (step: -1 | 1) => Promise<string | undefined>;
  onReload: () => void;
  onStop: () => void;
  onProxy: (enabled: boolean) => Promise<string | undefined>;
  showsIcon: boolean;
  ref: Ref<HTMLInputElement> | null;
};

const MOVED_ON =
  "The page went to another address by itself. Without the proxy the new address is unknown: this is the address it was opened with.";

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
        <ToolButton icon="back" label="Back" isOff={!view.canGoBack} onClick={() => say(onGo(-1))} />
        <ToolButton icon="forward" label="Forward" isOff={!view.canGoForward} onClick={() => say(onGo(1))} />
        {isSlow ? (
          <ToolButton icon="close" label="Stop" onClick={onStop} />
        ) : (
          <ToolButton icon="reload" label="Reload" isOff={view.address === undefined} onClick={onReload} />
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
          {view.hasMovedOn && (
            <span className="webview-moved-on small muted" title={MOVED_ON}>
              Moved on<span className="sr">. {MOVED_ON}</span>
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
          title="Load the page through Backplane, for sites that refuse to be framed."
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

type ButtonProps = { isOpen: boolean; controls: string; onToggle: () => void };

/** Browsers do not report that a frame stayed blank, so people are asked, in a place where it moves nothing. */
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
      <p>Nothing to see? The site may refuse to be framed, or may not answer. The proxy helps in the first case.</p>
      <Button size="small" onClick={onProxy}>
        Load it through the proxy
      </Button>
    </div>
  );
}

/** A field for an address. It never clears what was typed, and says beside it what is wrong. */
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

/** Whether a load is slow enough for a Stop button: a double click on "Reload" must not hit "Stop". */
function useSlow(sinceMs: number | undefined): boolean {
  const [slow, setSlow] = useState<number>();

  useEffect(() => {
    const timer = setTimeout(setSlow, LINE_AFTER_MS, sinceMs);
    return () => clearTimeout(timer);
  }, [sinceMs]);

  return sinceMs !== undefined && slow === sinceMs;
}
