import type { Overview, OverviewAnswer } from "@backplane/contract/platform";
import { useEffect, useState } from "react";
import { type Answer, call } from "../calls/call.ts";
import { poll } from "../parts/poll.ts";

export const POLL_EVERY_MS = 2_000;

export type OverviewState = {
  /** The last answer; kept while the platform does not answer. */
  overview?: Overview;
  answeredAt?: Date;
  /** The platform runs, and tells more only to people who are signed in. */
  isStranger?: boolean;
  /** Why the platform could not tell, such as a database that does not answer. */
  problem?: string;
  /** The last request got no answer. */
  silent: boolean;
};

export function useOverview(): OverviewState {
  const [state, setState] = useState<OverviewState>({ silent: false });

  useEffect(
    () =>
      poll({
        load: loadOverview,
        everyMs: POLL_EVERY_MS,
        page: document,
        onAnswer: (answer) => setState((before) => stateAfter(before, answer, new Date())),
        onSilence: () => {},
      }),
    [],
  );

  return state;
}

export function stateAfter(before: OverviewState, answer: Answer<OverviewAnswer>, now: Date): OverviewState {
  if (answer.ok) {
    const heard = { answeredAt: now, silent: false };
    return "processes" in answer.value ? { ...heard, overview: answer.value } : { ...heard, isStranger: true };
  }
  if (answer.fault.status === 0) return before.silent ? before : { ...before, silent: true };
  return { ...before, answeredAt: now, problem: answer.fault.title, silent: false };
}

/** After this time the platform counts as not answering. */
const ANSWER_TIMEOUT_MS = 5_000;

const loadOverview = (signal: AbortSignal): Promise<Answer<OverviewAnswer>> =>
  call({
    method: "GET",
    path: "/api/overview",
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
  });
