import { useCallback, useEffect, useRef, useState } from "react";
import { poll } from "../parts/poll.ts";
import { useSession } from "../session/session.tsx";
import { type Answer, call } from "./call.ts";
import type { Resource } from "./use-resource.ts";

/** After this time the server counts as not answering. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Loads a resource again and again while the page is visible. */
export function usePolled<T>(path: string, everyMs: number): Resource<T> {
  const { refresh } = useSession();
  const [loaded, setLoaded] = useState<Pick<Resource<T>, "value" | "fault">>({ value: undefined, fault: undefined });
  const isGone = useRef(false);

  const take = useCallback(
    (answer: Answer<T>) => {
      if (isGone.current) return;
      if (answer.ok) setLoaded({ value: answer.value, fault: undefined });
      else setLoaded((before) => ({ ...before, fault: answer.fault }));
      // The session has ended, here or on another machine: make the page show it.
      if (!answer.ok && answer.fault.status === 401) void refresh();
    },
    [refresh],
  );

  useEffect(() => {
    isGone.current = false;
    const stop = poll({
      load: (signal) => load<T>(path, signal),
      everyMs,
      page: document,
      onAnswer: take,
      onSilence: () => {},
    });
    return () => {
      isGone.current = true;
      stop();
    };
  }, [path, everyMs, take]);

  const reload = useCallback(async () => take(await load<T>(path)), [path, take]);

  return { ...loaded, reload };
}

const load = <T>(path: string, signal?: AbortSignal): Promise<Answer<T>> => {
  const late = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  return call<T>({ method: "GET", path, signal: signal ? AbortSignal.any([signal, late]) : late });
};
