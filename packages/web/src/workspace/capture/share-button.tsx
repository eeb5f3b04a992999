import "./capture.css";
import type { SharingRequest } from "@backplane/contract/panels";
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { useNow } from "../../parts/use-now.ts";
import type { LiveClient } from "../live/live-client.ts";
import type { Capture, CaptureState } from "./capture.ts";
import {
  askedWords,
  countdown,
  FAULT_WORDS,
  nextWords,
  openRequests,
  othersWords,
  type ShareLook,
  shareLabel,
  shareLook,
  shareTitle,
  surfaceFor,
  targetWords,
  unansweredWords,
} from "./sharing-words.ts";

type Props = {
  capture: Capture;
  live: Pick<LiveClient, "state" | "subscribe" | "send">;
  titleOf: (tabId: string) => string | undefined;
  /** A program stopped waiting for an answer. */
  onUnanswered: (words: string) => void;
};

/** The monitor icon in the bar: whether programs may take screenshots, and who asks for one. */
export function ShareButton({ capture, live, titleOf, onUnanswered }: Props) {
  const state = useSyncExternalStore(capture.subscribe, capture.state);
  const { sharingRequests, unanswered } = useSyncExternalStore(live.subscribe, live.state);
  const requests = openRequests(sharingRequests, state.shared);
  const [request] = requests;
  const look = shareLook(state, requests.length);
  const { isOpen, setIsOpen } = useOpen(request?.id);
  const button = useRef<HTMLButtonElement>(null);
  const dialog = useId();
  useEscape(isOpen, setIsOpen);
  useEffect(() => {
    if (unanswered) onUnanswered(unansweredWords(unanswered));
  }, [unanswered, onUnanswered]);
  const label = shareLabel(look, state.shared);
  const note = look === "cannot" ? state.cannot : look === "off" && state.fault && FAULT_WORDS[state.fault];
  const shows = isOpen && (look === "asked" || note !== undefined);

  function click(): void {
    if (look === "on") capture.stop();
    else if (look === "off" && !isOpen) void capture.share().then((isShared) => setIsOpen(!isShared));
    else setIsOpen(!isOpen);
  }

  return (
    <div className="share-anchor">
      <button
        ref={button}
        className={look === "on" || look === "asked" ? `share ${look}` : "share"}
        type="button"
        title={shareTitle(look, state)}
        aria-label={label}
        aria-pressed={look === "cannot" ? undefined : state.shared.length > 0}
        aria-disabled={look === "cannot" || undefined}
        aria-expanded={look === "asked" || note ? shows : undefined}
        aria-controls={shows ? dialog : undefined}
        onClick={click}
      >
        <ShareIcon look={look} />
        <span className="share-label">{label}</span>
      </button>
      <div className="sr" role="status">
        {look === "asked" && request ? askedWords(request) : ""}
      </div>
      {shows && (
        <SharePopover id={dialog} label={request ? `${request.by} asks for a screenshot` : label} button={button}>
          {look === "asked" && request ? (
            <ShareRequest
              request={request}
              others={requests.length - 1}
              state={state}
              titleOf={titleOf}
              onShare={() => {
                if (!state.isAsking) void capture.share(surfaceFor(request));
              }}
              onDecline={() => {
                live.send({ type: "sharing-declined", id: request.id });
                setIsOpen(false);
              }}
            />
          ) : (
            <p className="share-note">{note}</p>
          )}
        </SharePopover>
      )}
    </div>
  );
}

/** Opens by itself when another program asks, without taking the focus. */
function useOpen(requestId: string | undefined) {
  const [isOpen, setIsOpen] = useState(requestId !== undefined);
  const [seenId, setSeenId] = useState(requestId);
  if (requestId !== seenId) {
    setSeenId(requestId);
    setIsOpen(requestId !== undefined);
  }
  return { isOpen, setIsOpen };
}

function useEscape(isOpen: boolean, setIsOpen: (isOpen: boolean) => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) setIsOpen(false);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOpen, setIsOpen]);
}

/** A monitor: empty, filled while it is shared, crossed out when it cannot be. */
function ShareIcon({ look }: { look: ShareLook }) {
  return <Icon name={look === "cannot" ? "no-monitor" : "monitor"} isFilled={look === "on"} />;
}

type PopoverProps = {
  id: string;
  label: string;
  /** The button it belongs to. Gets the focus when the popover closes while it has it. */
  button: RefObject<HTMLButtonElement | null>;
  children: ReactNode;
};

function SharePopover({ id, label, button, children }: PopoverProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current: popover } = element;
    return () => {
      if (popover?.contains(document.activeElement)) button.current?.focus();
    };
  }, [button]);
  return (
    <div className="popover share-popover" ref={element} id={id} role="dialog" aria-label={label}>
      {children}
    </div>
  );
}

type RequestProps = {
  request: SharingRequest;
  others: number;
  state: CaptureState;
  titleOf: (tabId: string) => string | undefined;
  onShare: () => void;
  onDecline: () => void;
};

const TICK_MS = 250;

/** Who asks, why, for what, and how long the program waits. */
function ShareRequest({ request, others, state, titleOf, onShare, onDecline }: RequestProps) {
  const more = othersWords(others);
  return (
    <>
      <div className="share-why">
        <h2>{request.by} asks for a screenshot</h2>
        {request.reason !== null && <blockquote className="dense">{request.reason}</blockquote>}
        <dl className="facts">
          <dt>Of</dt>
          <dd>{targetWords(request, titleOf)}</dd>
          <dt>Then</dt>
          <dd>{nextWords(request)}</dd>
        </dl>
        {state.fault && (
          <Note tone="warn" role="alert">
            {FAULT_WORDS[state.fault]}
          </Note>
        )}
      </div>
      <div className="share-answer">
        <TimeLeft request={request} />
        <div className="share-choice">
          <Button onClick={onDecline}>Not now</Button>
          <button
            className={state.isAsking ? "btn primary busy" : "btn primary"}
            type="button"
            aria-disabled={state.isAsking || undefined}
            aria-busy={state.isAsking || undefined}
            onClick={onShare}
          >
            {state.isAsking && (
              <span className="btn-spinner">
                <Icon name="spinner" />
              </span>
            )}
            <ShareIcon look="off" />
            <span>Share</span>
          </button>
        </div>
        {/* Below the buttons: what comes while somebody presses one must not move it. */}
        {more && <p className="small muted">{more}</p>}
      </div>
    </>
  );
}

function TimeLeft({ request }: { request: SharingRequest }) {
  const { leftS, ofS, pins, lit, label, words } = countdown(request, useNow(TICK_MS).getTime());
  const labelId = useId();
  return (
    <>
      <div className="spread small muted">
        <span id={labelId}>{label}</span>
        <span>{words}</span>
      </div>
      <div
        className="pins wide"
        role="progressbar"
        aria-labelledby={labelId}
        aria-valuemin={0}
        aria-valuenow={leftS}
        aria-valuemax={ofS}
        aria-valuetext={words}
      >
        {Array.from({ length: pins }, (_, pin) => `pin-${pin}`).map((key, pin) => (
          <i key={key} className={pin < lit ? "on" : undefined} />
        ))}
      </div>
    </>
  );
}
