import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import { OrderRefused } from "../panel.ts";
import { CAPTURE_LIMITS } from "./limits.ts";

/** To the server, where somebody waits for it; only while they do, and once. */
export async function sendShot(workspace: WorkspaceName, shotId: string, png: Blob, fetch = globalThis.fetch) {
  const response = await fetch(workspaceRoute(workspace, `/screenshot/${encodeURIComponent(shotId)}`), {
    method: "POST",
    headers: { "content-type": "image/png" },
    body: png,
    credentials: "same-origin",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(CAPTURE_LIMITS.uploadTimeoutMs),
  }).catch(() => undefined);
  if (response?.ok) return;
  throw new OrderRefused("shot-failed", `The browser could not send the picture (${response?.status ?? "no answer"}).`);
}
