import type { Session } from "@backplane/contract/accounts";
import { useEffect, useState } from "react";
import { call } from "../calls/call.ts";
import { poll } from "../parts/poll.ts";
import { useSession } from "../session/session.tsx";
import { type DoneAt, firstConnection } from "./steps.ts";

/** How often a terminal that connects is looked for, until there is one. */
const POLL_EVERY_MS = 4_000;

/** The first steps that a person takes in front of this browser. */
export function useDoneSteps(): DoneAt {
  const { who } = useSession();
  const [connectedAt, setConnectedAt] = useState<Date>();
  const isIn = who.is === "in";
  const looks = isIn && !connectedAt;

  useEffect(() => {
    if (!looks) return;
    return poll({
      load: (signal) => call<{ sessions: Session[] }>({ method: "GET", path: "/auth/sessions", signal }),
      everyMs: POLL_EVERY_MS,
      page: document,
      onAnswer: (answer) => answer.ok && setConnectedAt(firstConnection(answer.value.sessions)),
      onSilence: () => {},
    });
  }, [looks]);

  if (!isIn) return {};
  return {
    "sign-in": new Date(who.user.session.created_at),
    ...(connectedAt ? { connect: connectedAt } : {}),
  };
}
