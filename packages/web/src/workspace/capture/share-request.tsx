import type { SharingRequest } from "@backplane/contract/panels";
import { useId } from "react";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { useNow } from "../../parts/use-now.ts";
import { countdown } from "./countdown.ts";
import type { CaptureState } from "./open-capture.ts";
import { ShareIcon } from "./share-icon.tsx";
import { FAULT_WORDS, nextWords, othersWords, targetWords } from "./sharing-words.ts";

type Props = {
  request: SharingRequest;
  others: number;
  state: CaptureState;
  titleOf: (tabId: string) => string | undefined;
  onShare: () => void;
  onDecline: () => void;
};

const TICK_MS = 250;

/** Who asks, why, for what, and how long they wait. */
export function ShareRequest({ request, others, state, titleOf, onShare, onDecline }: Props) {
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
        {more && <p className="small muted">{more}</p>}
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
