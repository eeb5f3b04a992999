import { useRef, useState } from "react";
import { useSession } from "../session/session.tsx";
import { type Call, call } from "./call.ts";
import { faultWords } from "./fault-words.ts";

/** Runs one thing at a time: a second click while the first is under way does nothing. */
export function useWork() {
  const working = useRef(false);
  const [busy, setBusy] = useState(false);

  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (working.current) return;
    working.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      working.current = false;
      setBusy(false);
    }
  };

  return { busy, run };
}

/** One thing that a click does: what fails is said beside it, and a session that ended leads to signing in. */
export function useAction() {
  const { ask } = useSession();
  const { busy, run } = useWork();
  const [fault, setFault] = useState<string>();

  const act = <T>(request: Call, onDone: (value: T) => unknown) =>
    run(async () => {
      setFault(undefined);
      const answer = await call<T>(request);
      if (answer.ok) return onDone(answer.value);
      if (answer.fault.status === 401) return ask();
      setFault(faultWords(answer.fault));
    });

  return { busy, fault, setFault, act };
}
