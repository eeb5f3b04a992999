import type { IncomingMessage } from "node:http";
import { type ClientMessage, GATEWAY_LIMITS, type RegisterMessage } from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { Connection, SocketHandlers } from "@backplane/kit/websocket";
import { errorText, readClientMessage, registeredText } from "./messages.ts";
import type { Holdings, RegisterOutcome, Registrations } from "./registrations.ts";

const CLOSE_GOING_AWAY = 1001;
const CLOSE_POLICY = 1008;

const MS_PER_REGISTER = 1_000 / GATEWAY_LIMITS.registersPerSecond;
/** A connection may register all it can hold, plus one second's worth, at once; after that the rate applies. */
const REGISTER_BURST_MS = (GATEWAY_LIMITS.maxRegistrations - 1) * MS_PER_REGISTER + 1_000;

const AGE_LIMIT = `a connection can register states for ${GATEWAY_LIMITS.connectionLifeMs / 60_000} minutes`;
const EMPTY_LIMIT = `nothing was registered for ${GATEWAY_LIMITS.emptyConnectionMs / 1_000} seconds`;

type Client = Holdings & {
  readonly connectedAtMs: number;
  refusals: number;
  /** When the next `register` would be due if all so far had come at the allowed rate. */
  registersDueMs: number;
};

export type SocketOptions = {
  registrations: Registrations;
  now: Clock;
  /** Origins that browsers may connect from; any if undefined. */
  origins: readonly string[] | undefined;
  isDraining: () => boolean;
  /** Whether an address may register another state, counting all its connections. */
  mayRegister?: (address: string) => Promise<boolean> | true;
  onFault: (error: unknown) => void;
};

/** Handles the clients' connections: reads their messages, changes registrations, answers. */
export function createSocketHandlers({
  registrations,
  now,
  origins,
  isDraining,
  mayRegister = () => true,
  onFault,
}: SocketOptions): SocketHandlers<Client> {
  let connected = 0;

  function refuse(connection: Connection<Client>, code: ProblemCode, state: string | null, sentence?: string): void {
    connection.send(errorText(code, state, sentence));
    connection.data.refusals += 1;
    if (connection.data.refusals > GATEWAY_LIMITS.maxRefusals) {
      connection.close(CLOSE_POLICY, "too many refused messages");
    }
  }

  /** Its registrations are served until they end, but new ones need a new connection. */
  const isOld = ({ connectedAtMs }: Client) => now() - connectedAtMs >= GATEWAY_LIMITS.connectionLifeMs;

  function isTooFast(client: Client): boolean {
    const nowMs = now();
    // Capped: after the clock is set back, the client must not have to wait until it catches up.
    const latestMs = nowMs + REGISTER_BURST_MS + MS_PER_REGISTER;
    const dueMs = Math.min(Math.max(client.registersDueMs, nowMs), latestMs);
    const isTooMany = dueMs - nowMs > REGISTER_BURST_MS;
    client.registersDueMs = isTooMany ? dueMs : dueMs + MS_PER_REGISTER;
    return isTooMany;
  }

  function answerRegister(connection: Connection<Client>, state: string, outcome: RegisterOutcome): void {
    if (outcome === "registered") connection.send(registeredText(state));
    else if (outcome !== "gone") refuse(connection, outcome, state);
  }

  function register(connection: Connection<Client>, message: RegisterMessage): void {
    const { state } = message;
    if (isDraining()) {
      refuse(connection, "not-ready", state);
    } else if (isOld(connection.data)) {
      refuse(connection, "not-ready", state, `Open a new connection: ${AGE_LIMIT}.`);
    } else if (isTooFast(connection.data)) {
      const limit = `At most ${GATEWAY_LIMITS.registersPerSecond} register messages per second.`;
      refuse(connection, "too-many-requests", state, limit);
    } else {
      const may = mayRegister(connection.address);
      if (may === true) addRegistration(connection, message);
      else {
        may
          .then((allowed) => {
            if (allowed) addRegistration(connection, message);
            else
              refuse(
                connection,
                "too-many-requests",
                state,
                "This address registers states too often. Try again in a moment.",
              );
          })
          .catch(onFault);
      }
    }
  }

  function addRegistration(connection: Connection<Client>, message: RegisterMessage): void {
    const { state } = message;
    const outcome = registrations.register(connection, message);
    if (!(outcome instanceof Promise)) answerRegister(connection, state, outcome);
    else outcome.then((later) => answerRegister(connection, state, later)).catch(onFault);
  }

  function handle(connection: Connection<Client>, message: ClientMessage): void {
    const { type, state } = message;
    if (type === "register") register(connection, message);
    // A late or repeated ack changes nothing.
    else if (type === "ack") registrations.confirm(connection, state);
    else if (!registrations.unregister(connection, state)) refuse(connection, "state-not-yours", state);
  }

  return {
    accept(request) {
      refuseForeignOrigin(request, origins);
      const nowMs = now();
      connected += 1;
      return {
        id: connected,
        held: [],
        emptySinceMs: nowMs,
        connectedAtMs: nowMs,
        refusals: 0,
        registersDueMs: 0,
      };
    },
    onMessage(connection, text) {
      const message = readClientMessage(text);
      if ("code" in message) refuse(connection, message.code, message.state, message.sentence);
      else handle(connection, message);
    },
    onRefused(connection, why) {
      const sentence =
        why === "binary"
          ? "Send text frames, not binary ones."
          : `A message may have at most ${GATEWAY_LIMITS.maxMessageBytes} bytes.`;
      refuse(connection, why === "binary" ? "malformed-request" : "payload-too-large", null, sentence);
    },
    onSweep(connection, nowMs) {
      const { held, emptySinceMs } = connection.data;
      if (held.length > 0) return;
      if (isOld(connection.data)) connection.close(CLOSE_GOING_AWAY, AGE_LIMIT);
      else if (nowMs - emptySinceMs >= GATEWAY_LIMITS.emptyConnectionMs) connection.close(CLOSE_POLICY, EMPTY_LIMIT);
    },
    onClose: (connection) => registrations.leave(connection),
    onFault,
  };
}

/** Programs send no Origin header. Browsers always do, and the page could be anybody's. */
function refuseForeignOrigin(request: IncomingMessage, origins: readonly string[] | undefined): void {
  const { origin } = request.headers;
  if (origin === undefined || origins === undefined || origins.includes(origin.toLowerCase())) return;
  throw new Problem("origin-not-allowed", { detail: "GATEWAY_ORIGINS does not include this page's origin." });
}
