import type { Pastes } from "../services.ts";

export type NewestId = {
  /** No screenshot that was ever here had a larger one; null before the first. */
  id(): string | null;
  stop(): void;
};

/**
 * The largest id so far: what comes above it is new. An event alone does not say so, as it also tells of names, and of
 * screenshots that are put back.
 */
export function followNewest(pastes: Pick<Pastes, "newest" | "onChange">): NewestId {
  let largest = pastes.newest()?.id ?? null;
  const stop = pastes.onChange((event) => {
    if (event.type === "paste" && (largest === null || event.paste.id > largest)) largest = event.paste.id;
  });
  return { id: () => largest, stop };
}
