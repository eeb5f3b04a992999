import { CONNECT_EXIT } from "./refusal.ts";

export type Told = Disposable & { signal: AbortSignal; exitCode(): number };

/** Ctrl-C and its like, for as long as there is something to end in good order. */
export function toldToStop(host: NodeJS.Process): Told {
  const told = new AbortController();
  let exitCode: number = CONNECT_EXIT.interrupted;
  const onInterrupt = () => told.abort();
  const onTerminate = () => {
    exitCode = CONNECT_EXIT.terminated;
    told.abort();
  };
  // Not `once`: a terminal and a parent may each send one, and the second must not kill what the first ends.
  host.on("SIGINT", onInterrupt);
  for (const name of ["SIGTERM", "SIGHUP"] as const) host.on(name, onTerminate);
  return {
    signal: told.signal,
    exitCode: () => exitCode,
    [Symbol.dispose]() {
      host.off("SIGINT", onInterrupt);
      for (const name of ["SIGTERM", "SIGHUP"] as const) host.off(name, onTerminate);
    },
  };
}
