import type { Overview } from "@backplane/contract/platform";

/** A platform that takes longer than this does not answer. */
const ANSWER_TIMEOUT_MS = 5_000;

export async function loadOverview(signal: AbortSignal): Promise<Overview> {
  const response = await fetch("/api/overview", {
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    headers: { accept: "application/json" },
    cache: "no-store",
  });
  if (!response.ok) throw new Error(`/api/overview answered ${response.status}`);
  return response.json();
}
