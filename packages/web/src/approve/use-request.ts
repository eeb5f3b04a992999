import type { IntentRequest } from "@backplane/contract/intents";
import { useEffect, useRef, useState } from "react";
import { call, type Fault } from "../calls/call.ts";
import { poll } from "../parts/poll.ts";
import { afterDecision, afterPoll, type Decision, isEnded, type View } from "./view.ts";

/** How often to poll while the page is visible. */
export const POLL_EVERY_MS = 2_000;

/** A sign-in request, polled until it has an answer. */
export function useRequest(token: string) {
  const [view, setView] = useState<View>({ is: "loading" });
  /** How far this machine's clock is behind the server's. */
  const [behindMs, setBehindMs] = useState(0);
  const [attempt, setAttempt] = useState(0);
  const tried = useRef<Decision>(undefined);
  const path = `/auth/intents/${encodeURIComponent(token)}`;
  const ended = isEnded(view) || view.is === "signed-out";

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks at once
  useEffect(() => {
    if (ended) return;
    return poll({
      load: (signal) => call<IntentRequest>({ method: "GET", path: `${path}/request`, signal }),
      everyMs: POLL_EVERY_MS,
      page: document,
      onAnswer: (answer) => {
        if (answer.ok && answer.serverTimeMs !== undefined) setBehindMs(answer.serverTimeMs - Date.now());
        setView((before) => afterPoll(before, answer, tried.current));
      },
      onSilence: () => {},
    });
  }, [path, ended, attempt]);

  /** Returns the failure to show; undefined when the view already shows the outcome. */
  const decide = async (decision: Decision): Promise<Fault | undefined> => {
    if (view.is !== "asking") return undefined;
    tried.current = decision;
    const answer = await call({
      method: "PATCH",
      path,
      body: { decision, confirmation_code: view.request.confirmation_code },
    });
    setView((before) => (isEnded(before) ? before : afterDecision(before, answer, decision)));
    return answer.ok || afterDecision(view, answer, decision).is !== "asking" ? undefined : answer.fault;
  };

  return { view, behindMs, decide, askAgain: () => setAttempt((before) => before + 1) };
}
