import { createNaps } from "./nap.ts";
import type { StatusAsk } from "./poll.ts";
import { followStream } from "./stream.ts";

export type Streaming = {
  asking: StatusAsk & { signal: AbortSignal };
  random(): number;
  /** Whether a stream is open that brings something, so that nobody need poll. */
  onLive(isLive: boolean): void;
  /** A poll should find out at once how the intent is. */
  onDoubt(): void;
};

/**
 * Keeps a stream open, over lost connections, until it brings the session. Undefined once streams are of no use here:
 * what answers is no stream, or a proxy holds it back.
 */
export async function keepStreaming({ asking, random, onLive, onDoubt }: Streaming): Promise<string | undefined> {
  const { limits, signal } = asking;
  const { nap } = createNaps(signal);
  let retryMs = limits.retryMs;
  let losses = 0;
  let barren = 0;
  for (;;) {
    const end = await followStream(asking, {
      onBytes() {
        losses = 0;
        barren = 0;
        onLive(true);
      },
      onRetry(givenMs) {
        retryMs = Math.min(givenMs, limits.maxRetryMs);
      },
    });
    if (signal.aborted) return undefined;
    onLive(false);
    if (end.kind === "authenticated") return end.sessionToken;
    if (end.kind === "ask" || (end.kind === "none" && !end.isPassing)) {
      onDoubt();
      return undefined;
    }
    if (end.kind === "lost" && end.wasSilent) onDoubt();
    // What could not be connected to may come back; what connects and brings nothing will not change.
    if (end.kind === "lost" && !end.hadBytes && (end.hadAnswer || end.wasSilent)) barren += 1;
    if (barren >= limits.maxBarrenStreams) return undefined;
    const pauseMs = Math.min(retryMs * 2 ** losses, limits.maxRetryMs);
    const askedMs = end.kind === "none" ? Math.min(end.retryAfterMs ?? 0, limits.maxRetryAfterMs) : 0;
    losses += 1;
    // All who waited at an instance that was restarted should not come back in the same moment.
    await nap(Math.max(pauseMs * (0.75 + random() / 2), askedMs));
    if (signal.aborted) return undefined;
  }
}
