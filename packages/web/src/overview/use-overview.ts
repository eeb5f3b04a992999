import type { Overview } from "@backplane/contract/platform";
import { useEffect, useState } from "react";
import { poll } from "../parts/poll.ts";

export const POLL_EVERY_MS = 2_000;

export type OverviewState = {
  /** The last answer; kept while the platform does not answer. */
  overview?: Overview;
  answeredAt?: Date;
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
        onAnswer: (overview) => setState({ overview, answeredAt: new Date(), silent: false }),
        onSilence: () => setState((before) => (before.silent ? before : { ...before, silent: true })),
      }),
    [],
  );

  return state;
}

/** After this time the platform counts as not answering. */
const ANSWER_TIMEOUT_MS = 5_000;

async function loadOverview(signal: AbortSignal): Promise<Overview> {
  const response = await fetch("/api/overview", {
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    headers: { accept: "application/json" },
    cache: "no-store",
  });
  if (!response.ok) throw new Error(`/api/overview answered ${response.status}`);
  return response.json();
}
