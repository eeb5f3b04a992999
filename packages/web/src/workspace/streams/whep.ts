import { type Answer, call } from "../../calls/call.ts";
import { iceServersOf } from "./ice-servers.ts";

export type Whep = { connection: RTCPeerConnection; close(): void };
export type WhepEvents = { track(track: MediaStreamTrack): void; ended(): void };

/** The first picture may take as long as a camera needs to answer. */
const OFFER_TIMEOUT_MS = 25_000;
const OVER: ReadonlySet<string> = new Set(["failed", "closed", "disconnected"]);

/** Asks for a stream by WHEP: one offer, one answer. The server needs no address of ours: we connect to it. */
export async function openWhep(path: string, events: WhepEvents, signal: AbortSignal): Promise<Answer<Whep>> {
  const connection = new RTCPeerConnection();
  let location: string | undefined;
  const close = (): void => {
    connection.onconnectionstatechange = null;
    connection.close();
    // Also while the page is being left.
    if (location !== undefined) void fetch(location, { method: "DELETE", keepalive: true }).catch(() => {});
    location = undefined;
  };
  connection.ontrack = ({ track, receiver }) => {
    // As soon as it is there: what is seen steers what is done.
    receiver.jitterBufferTarget = 0;
    events.track(track);
  };
  connection.onconnectionstatechange = () => {
    if (OVER.has(connection.connectionState)) events.ended();
  };
  connection.addTransceiver("video", { direction: "recvonly" });
  // Not set yet: the browser looks for its addresses then, and asks the servers that the answer names.
  const offer = await connection.createOffer();
  let sdp = "";
  let iceServers: RTCIceServer[] = [];
  const answer = await call<undefined>(
    { method: "POST", path, signal, timeoutMs: OFFER_TIMEOUT_MS },
    async (url, init) => {
      const headers = { accept: "application/sdp, application/json", "content-type": "application/sdp" };
      const response = await fetch(url, { ...init, headers, body: offer.sdp ?? "" });
      if (!response.ok) return response;
      location = response.headers.get("location") ?? undefined;
      iceServers = iceServersOf(response.headers.get("link"));
      sdp = await response.text();
      return new Response(null, { status: 204 });
    },
  );
  if (!answer.ok || signal.aborted) {
    close();
    return answer.ok ? { ok: false, fault: ENDED } : answer;
  }
  try {
    if (iceServers.length > 0) connection.setConfiguration({ iceServers });
    await connection.setLocalDescription(offer);
    await connection.setRemoteDescription({ type: "answer", sdp });
  } catch {
    close();
    return { ok: false, fault: { ...ENDED, code: "unexpected-answer", title: "The browser cannot use the answer" } };
  }
  return { ...answer, value: { connection, close } };
}

const ENDED = { status: 0, code: "aborted", title: "Stopped", detail: undefined, errors: [], retryAfterS: undefined };
