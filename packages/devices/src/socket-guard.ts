import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { createAllowance } from "@backplane/kit/allowance";
import type { WebSocket } from "ws";

/** A peer that does not answer our close frame is cut off after this. */
const CLOSE_MS = 1_000;
const PINGS_PER_SECOND = 5;
const PING_BURST = 50;

/** How `ws` serves tools and devices. Compression would let a small frame become a large one. */
export const GUARDED = { noServer: true, perMessageDeflate: false, autoPong: false, closeTimeout: CLOSE_MS } as const;

/** `ws` itself would answer every ping, also those of a peer that reads none of the answers. */
export function answerPings(socket: WebSocket): void {
  const allowance = createAllowance({ burst: PING_BURST, perSecond: PINGS_PER_SECOND });
  socket.on("ping", (data) => {
    if (!allowance.take() || socket.bufferedAmount > DEVICES_LIMITS.maxUnreadBytes) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.pong(data);
  });
}
