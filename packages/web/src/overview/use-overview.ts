import type { Overview } from "@backplane/contract/platform";
import { useEffect, useState } from "react";
import { poll } from "../parts/poll.ts";
import { loadOverview } from "./load-overview.ts";

const POLL_EVERY_MS = 2_000;

export type Heard = {
  /** The last answer; kept while the platform is silent. */
  overview?: Overview;
  heardAt?: Date;
  /** The last question got no answer. */
  silent: boolean;
};

export function useOverview(): Heard {
  const [heard, setHeard] = useState<Heard>({ silent: false });

  useEffect(
    () =>
      poll({
        load: loadOverview,
        everyMs: POLL_EVERY_MS,
        page: document,
        onAnswer: (overview) => setHeard({ overview, heardAt: new Date(), silent: false }),
        onSilence: () => setHeard((before) => (before.silent ? before : { ...before, silent: true })),
      }),
    [],
  );

  return heard;
}
