import { useState } from "react";
import { type Call, call } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";
import { useWork } from "../calls/use-work.ts";
import { useSession } from "../session/session.tsx";

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
