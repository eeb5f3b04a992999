import type { IntentRequest } from "@backplane/contract/intents";
import { useEffect, useId, useState } from "react";
import type { Fault } from "../calls/call.ts";
import { useWork } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { Note } from "../parts/note.tsx";
import { countdown } from "../parts/times.ts";
import { useNow } from "../parts/use-now.ts";
import { useSession } from "../session/session.tsx";
import { callersKey, confirmationOf } from "./callers.ts";
import { POLL_EVERY_MS } from "./use-request.ts";
import { type Decision, decisionFault } from "./view.ts";

/**
 * The second half of a double click on something else must not approve: nor when the first half closed a window that another
 * site had opened above this one.
 */
const SETTLE_MS = 700;

type Props = {
  request: IntentRequest;
  stale: boolean;
  userName: string;
  behindMs: number;
  decide: (decision: Decision) => Promise<Fault | undefined>;
};

/** Whether people had a moment to see the page, since it was shown and since its window came to the front. */
function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      setSettled(false);
      timer = setTimeout(setSettled, SETTLE_MS, true);
    };
    begin();
    window.addEventListener("focus", begin);
    document.addEventListener("visibilitychange", begin);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("focus", begin);
      document.removeEventListener("visibilitychange", begin);
    };
  }, []);
  return settled;
}

export function DecisionPart({ request, stale, userName, behindMs, decide }: Props) {
  const { signOut } = useSession();
  const [pending, setPending] = useState<Decision>();
  const [fault, setFault] = useState<Fault>();
  const [confirmed, setConfirmed] = useState<string>();
  const { busy, run } = useWork();
  const settled = useSettled();
  const confirmationId = useId();

  const confirmation = confirmationOf(request.callers);
  const callers = callersKey(request.callers);
  const isConfirmed = confirmed === callers;

  const answer = (decision: Decision) =>
    run(async () => {
      setPending(decision);
      setFault(undefined);
      setFault(await decide(decision));
    });

  const offered = settled && (confirmation === undefined || isConfirmed);
  return (
    <div className="sect decision">
      {confirmation !== undefined && (
        <label className="check dense" id={confirmationId}>
          <input
            type="checkbox"
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.target.checked ? callers : undefined)}
          />
          <span>{confirmation}</span>
        </label>
      )}
      {fault !== undefined && (
        <Note tone="danger" role="alert">
          {decisionFault(fault)}
        </Note>
      )}
      {fault === undefined && stale && (
        <Note tone="warn" role="status">
          Backplane does not answer, so the waiting programs may have changed. This page checks every{" "}
          {POLL_EVERY_MS / 1_000} s.
        </Note>
      )}
      <div className="two answers">
        <Button
          look="ink"
          size="large"
          busy={busy && pending === "deny"}
          disabled={busy}
          onClick={() => answer("deny")}
        >
          Deny
        </Button>
        <Button
          {...(confirmation === undefined || isConfirmed ? { look: "primary" } : {})}
          size="large"
          className={confirmation === undefined || isConfirmed ? "ready" : ""}
          busy={busy && pending === "approve"}
          disabled={busy || !offered}
          describedBy={confirmation === undefined ? undefined : confirmationId}
          onClick={() => answer("approve")}
        >
          Approve
        </Button>
      </div>
      <p className="small muted below">
        <span>
          Signed in as {userName}.{" "}
          <button className="link" type="button" onClick={() => run(signOut)}>
            Not you?
          </button>
        </span>
        <TimeLeft expiresAt={request.expires_at} behindMs={behindMs} />
      </p>
    </div>
  );
}

function TimeLeft({ expiresAt, behindMs }: { expiresAt: string; behindMs: number }) {
  const now = useNow(1_000);
  return (
    <span className="nowrap" role="timer">
      Expires in {countdown(Date.parse(expiresAt) - now.getTime() - behindMs)}
    </span>
  );
}
