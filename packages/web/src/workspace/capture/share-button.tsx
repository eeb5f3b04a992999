import { useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import type { LiveClient } from "../live/live-client.ts";
import type { Capture } from "./open-capture.ts";
import { ShareIcon } from "./share-icon.tsx";
import { SharePopover } from "./share-popover.tsx";
import { ShareRequest } from "./share-request.tsx";
import {
  askedWords,
  FAULT_WORDS,
  openRequests,
  shareLabel,
  shareLook,
  shareTitle,
  surfaceFor,
} from "./sharing-words.ts";
import "./capture.css";

type Props = {
  capture: Capture;
  live: Pick<LiveClient, "state" | "subscribe" | "send">;
  titleOf: (tabId: string) => string | undefined;
};

/** The monitor icon of the bar: whether programs may take screenshots, and who asks for one. */
export function ShareButton({ capture, live, titleOf }: Props) {
  const state = useSyncExternalStore(capture.subscribe, capture.state);
  const { sharingRequests } = useSyncExternalStore(live.subscribe, live.state);
  const requests = openRequests(sharingRequests, state.shared);
  const [request] = requests;
  const look = shareLook(state, requests.length);
  const { isOpen, setIsOpen } = useOpen(request?.id);
  const button = useRef<HTMLButtonElement>(null);
  const dialog = useId();
  useEscape(isOpen, setIsOpen);
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
      <div className="share-said" role="status">
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

/** Opens by itself when somebody else asks than before. Nothing gets the focus by that. */
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
