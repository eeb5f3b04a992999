import { useRef, useState } from "react";
import { useSession } from "../session/session.tsx";
import { type Call, call } from "./call.ts";
import { faultWords } from "./fault-words.ts";

/** Runs one task at a time: a second click while the first is running does nothing. */
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

/** Sends a request on a click. A failure is shown beside the button; an ended session leads to signing in. */
export function useAction() {
  const { refresh } = useSession();
  const { busy, run } = useWork();
  const [fault, setFault] = useState<string>();

  /** `handled`: what to do about problems that the page has its own words for, by code. */
  const act = <T>(request: Call, onDone: (value: T) => unknown, handled: Readonly<Record<string, () => void>> = {}) =>
    run(async () => {
      setFault(undefined);
      const answer = await call<T>(request);
      if (answer.ok) return onDone(answer.value);
      if (answer.fault.status === 401) return refresh();
      if (Object.hasOwn(handled, answer.fault.code)) return handled[answer.fault.code]?.();
      setFault(faultWords(answer.fault));
    });

  return { busy, fault, setFault, act };
}
