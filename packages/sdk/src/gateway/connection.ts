import { LIMITS } from "./limits.ts";
import {
  ackMessage,
  type GatewayMessage,
  type Registration,
  readGatewayMessage,
  registerMessage,
  unregisterMessage,
} from "./messages.ts";
import type { Socket } from "./node-socket.ts";
import type { OpenSocket } from "./socket.ts";

/** What ends the wait: the provider's answer, or the gateway's refusal. */
export type FinalMessage = Exclude<GatewayMessage, { type: "registered" }>;

export type ConnectionEvents = {
  onRegistered(): void;
  onFinal(message: FinalMessage): void;
  /** The connection is lost. At most once, and not after `onFinal` or `leave`. */
  onLost(): void;
};

export type GatewayConnection = {
  /** Ends it early, and takes the registration back. */
  leave(): void;
};

export type ConnectionOptions = {
  url: string;
  openSocket: OpenSocket;
  registration: Registration;
  /** An earlier connection may already have registered the state. */
  comesBack: boolean;
  events: ConnectionEvents;
};

/** Worth another try in a moment, perhaps at another instance. */
const TRANSIENT = new Set(["not-ready", "bus-unavailable", "too-fast", "too-many-requests"]);

const PROVIDER_ERROR = "provider-error";

/** One connection: connects, registers, waits. The link reconnects after a loss. */
export function openGatewayConnection({
  url,
  openSocket,
  registration,
  comesBack,
  events,
}: ConnectionOptions): GatewayConnection {
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

  /** Registering again changes nothing at the gateway; its answer shows that the connection still works. */
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

  function onError(message: Extract<GatewayMessage, { type: "error" }>): void {
    const isTransient = message.code !== undefined && TRANSIENT.has(message.code);
    // A gateway without error codes may refuse to register a state twice. It is alive, and that is enough.
    const isAboutBeat = isBeating && (isTransient || message.code === undefined);
    if (phase === "registering" && isTransient) lose();
    else if (isAboutBeat) rest();
    else finish(message);
  }

  function finish(message: FinalMessage): void {
    // The page in the user's browser waits for this before it reports success.
    if (message.type === "callback" || message.code === PROVIDER_ERROR) socket?.send(ackMessage(state));
    over();
    events.onFinal(message);
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
        const message = readGatewayMessage(text, state);
        if (message?.type === "registered") onRegistered();
        else if (message?.type === "error") onError(message);
        else if (message?.type === "callback") finish(message);
      },
      onClose: lose,
    });
  } catch {
    // A browser refuses ws: addresses on https pages in this way.
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
