import { useCallback, useEffect, useRef, useState } from "react";
import { useSession } from "../session/session.tsx";
import { call, type Fault } from "./call.ts";

export type Resource<T> = {
  /** The last answer; kept when a later request fails. */
  value: T | undefined;
  fault: Fault | undefined;
  reload: () => Promise<void>;
};

/** Loads a resource when first shown, unless it is `known` already, and again on `reload`. */
export function useResource<T>(path: string, known?: T): Resource<T> {
  const { refresh } = useSession();
  const [loaded, setLoaded] = useState<Pick<Resource<T>, "value" | "fault">>({ value: known, fault: undefined });
  const request = useRef<AbortController>(undefined);

  const reload = useCallback(async () => {
    request.current?.abort();
    request.current = new AbortController();
    const { signal } = request.current;
    const answer = await call<T>({ method: "GET", path, signal });
    if (signal.aborted) return;
    if (answer.ok) setLoaded({ value: answer.value, fault: undefined });
    else setLoaded((before) => ({ ...before, fault: answer.fault }));
    // The session has ended, here or on another machine: make the page show it.
    if (!answer.ok && answer.fault.status === 401) void refresh();
  }, [path, refresh]);

  const isKnown = known !== undefined;
  useEffect(() => {
    if (!isKnown) void reload();
    return () => request.current?.abort();
  }, [reload, isKnown]);

  return { ...loaded, reload };
}
