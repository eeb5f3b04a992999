import type { ViewerEvent } from "@backplane/contract/viewer";
import type { Pastes } from "../services.ts";

/** The first value that `look` finds in a change from now on. Rejects when the signal aborts. */
export function firstChange<Found>(
  pastes: Pick<Pastes, "onChange">,
  signal: AbortSignal,
  look: (event: ViewerEvent) => Found | undefined,
): Promise<Found> {
  const { promise, resolve, reject } = Promise.withResolvers<Found>();
  const onAbort = () => reject(signal.reason);
  const stop = pastes.onChange((event) => {
    const found = look(event);
    if (found !== undefined) resolve(found);
  });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return promise.finally(() => {
    stop();
    signal.removeEventListener("abort", onAbort);
  });
}
