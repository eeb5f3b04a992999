import { PROBE_TIMEOUT_MS } from "@backplane/contract/gateway";

export type Probed = { ok: true; pending: number | null } | { ok: false; error: string };

/** Asks the gateway once whether it is alive. Never rejects: no answer is an answer too. */
export async function probe(healthUrl: string, fetch: typeof globalThis.fetch): Promise<Probed> {
  try {
    const response = await fetch(healthUrl, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      return { ok: false, error: `answered ${response.status}` };
    }
    return { ok: true, pending: pendingOf(await response.text()) };
  } catch (error) {
    return { ok: false, error: sentence(error as Error) };
  }
}

/** Health is the status; a body that says nothing about who waits does not make it ill. */
function pendingOf(body: string): number | null {
  try {
    const { pending } = JSON.parse(body) as { pending?: unknown };
    return typeof pending === "number" && Number.isInteger(pending) ? pending : null;
  } catch {
    return null;
  }
}

function sentence({ name, cause }: Error): string {
  if (name === "TimeoutError") return `no answer within ${PROBE_TIMEOUT_MS / 1_000} s`;
  return (cause as { code?: string } | undefined)?.code === "ECONNREFUSED" ? "connection refused" : "connection lost";
}
