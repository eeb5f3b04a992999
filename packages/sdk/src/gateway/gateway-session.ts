import { LIMITS } from "../limits.ts";
import {
  ackMessage,
  type GatewayNews,
  type Registration,
  readNews,
  registerMessage,
  unregisterMessage,
} from "./messages.ts";
import type { OpenSocket, Socket } from "./socket.ts";

/** What ends the wait: the provider's answer, or the gateway's refusal to go on. */
export type FinalNews = Exclude<GatewayNews, { type: "registered" }>;

export type SessionEvents = {
  onRegistered(): void;
  onFinal(news: FinalNews): void;
  /** The connection is of no use any more. Once, and not after `onFinal` or `leave`. */
  onLost(): void;
};

export type Session = {
  /** Ends it without news: the gateway is told that nobody waits any more. */
  leave(): void;
};

export type SessionOptions = {
  url: string;
  openSocket: OpenSocket;
  registration: Registration;
  /** An earlier connection may have registered the state. */
  comesBack: boolean;
  events: SessionEvents;
};

/** The gateway will do better in a moment, or another instance of it does. */
const TRANSIENT = new Set(["not-ready", "bus-unavailable", "too-fast", "too-many-requests"]);

const PROVIDER_ERROR = "provider-error";

/** One connection: connects, registers, waits. Coming back after a loss is the link's business. */
export function openSession({ url, openSocket, registration, comesBack, events }: SessionOptions): Session {
  const { state } = registration;
  let phase: "connecting" | "registering" | "waiting" | "over" = "connecting";
  let heartbeat: ReturnType<typeof setTimeout> | undefined;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  let isBeating = false;
  let socket: Socket | undefined;

  function over(): void {
    phase = "over";
    clearTimeout(heartbeat);
    clearTimeout(deadline);
    socket?.close();
  }

  function lose(): void {
    if (phase === "over") return;
    over();
    events.onLost();
  }

  function expectAnswer(): void {
    clearTimeout(deadline);
    deadline = setTimeout(lose, LIMITS.answerMs);
  }

  function rest(): void {
    clearTimeout(deadline);
    clearTimeout(heartbeat);
    isBeating = false;
    heartbeat = setTimeout(beat, LIMITS.heartbeatMs);
  }

  /** Registering again changes nothing at the gateway; that it answers shows that it still has this connection. */
  function beat(): void {
    isBeating = true;
    expectAnswer();
    socket?.send(registerMessage(registration, true));
  }

  function onRegistered(): void {
    rest();
    if (phase === "waiting") return;
    phase = "waiting";
    events.onRegistered();
  }

  function onError(news: Extract<GatewayNews, { type: "error" }>): void {
    const isTransient = news.code !== undefined && TRANSIENT.has(news.code);
    // A gateway without codes may refuse to register a state twice: it lives, which is all the beat asks.
    const isAboutBeat = isBeating && (isTransient || news.code === undefined);
    if (phase === "registering" && isTransient) lose();
    else if (isAboutBeat) rest();
    else finish(news);
  }

  function finish(news: FinalNews): void {
    // The page in the user's browser waits for this before it says that all is well.
    if (news.type === "callback" || news.code === PROVIDER_ERROR) socket?.send(ackMessage(state));
    over();
    events.onFinal(news);
  }

  expectAnswer();
  try {
    socket = openSocket(url, {
      onOpen() {
        if (phase !== "connecting") return;
        phase = "registering";
        expectAnswer();
        socket?.send(registerMessage(registration, comesBack));
      },
      onText(text) {
        if (phase === "over") return;
        const news = readNews(text, state);
        if (news?.type === "registered") onRegistered();
        else if (news?.type === "error") onError(news);
        else if (news?.type === "callback") finish(news);
      },
      onClose: lose,
    });
  } catch {
    // A browser refuses ws: addresses to pages of https in this way.
    queueMicrotask(lose);
  }

  return {
    leave() {
      if (phase === "over") return;
      if (phase === "waiting") socket?.send(unregisterMessage(state));
      over();
    },
  };
}
