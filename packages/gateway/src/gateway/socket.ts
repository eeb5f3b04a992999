import type { IncomingMessage } from "node:http";
import { type ClientMessage, GATEWAY_LIMITS, type RegisterMessage } from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import type { Connection, Refusal, SocketHandlers } from "@backplane/kit/websocket";
import { errorText, readClientMessage, registeredText } from "./messages.ts";
import type { Holdings, RegisterOutcome, Registrations } from "./registrations.ts";

const CLOSE_GOING_AWAY = 1001;
const CLOSE_POLICY = 1008;

const MS_PER_REGISTER = 1_000 / GATEWAY_LIMITS.registersPerSecond;
/** A connection may register all it can hold, plus one second's worth, at once; after that the rate applies. */
const REGISTER_BURST_MS = (GATEWAY_LIMITS.maxRegistrations - 1) * MS_PER_REGISTER + 1_000;

const AGE_LIMIT = `a connection can register states for ${GATEWAY_LIMITS.connectionLifeMs / 60_000} minutes`;
const CONNECTION_RATE = `At most ${GATEWAY_LIMITS.registersPerSecond} register messages per second.`;
const ADDRESS_RATE = "This address registers states too often. Try again in a moment.";
const SIZE_LIMIT = `A message may have at most ${GATEWAY_LIMITS.maxMessageBytes} bytes.`;
const EMPTY_LIMIT = `nothing was registered for ${GATEWAY_LIMITS.emptyConnectionMs / 1_000} seconds`;

type Client = Holdings & {
  readonly connectedAtMs: number;
  refusals: number;
  /** When the next `register` would be due if all so far had come at the allowed rate. */
  registersDueMs: number;
};

type ClientConnection = Connection<Client>;

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
export function createSocketHandlers(options: SocketOptions): SocketHandlers<Client> {
  const { registrations, now, origins, onFault } = options;
  const gateway = { mayRegister: () => true as const, ...options };
  let connected = 0;
  return {
    accept(request) {
      refuseForeignOrigin(request, origins);
      connected += 1;
      return newClient(connected, now());
    },
    onMessage(connection, text) {
      const message = readClientMessage(text);
      if ("code" in message) refuse(connection, message.code, message.state, message.sentence);
      else handle(gateway, connection, message);
    },
    onRefused: refuseFrame,
    onSweep: closeUnused,
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

const newClient = (id: number, nowMs: number): Client => ({
  id,
  held: [],
  emptySinceMs: nowMs,
  connectedAtMs: nowMs,
  refusals: 0,
  registersDueMs: 0,
});

type Gateway = Required<SocketOptions>;

function handle(gateway: Gateway, connection: ClientConnection, message: ClientMessage): void {
  const { registrations } = gateway;
  const { type, state } = message;
  if (type === "register") register(gateway, connection, message);
  // A late or repeated ack changes nothing.
  else if (type === "ack") registrations.confirm(connection, state);
  else if (!registrations.unregister(connection, state)) refuse(connection, "state-not-yours", state);
}

function register(gateway: Gateway, connection: ClientConnection, message: RegisterMessage): void {
  const { state } = message;
  const nowMs = gateway.now();
  if (gateway.isDraining()) {
    refuse(connection, "not-ready", state);
  } else if (isOld(connection.data, nowMs)) {
    refuse(connection, "not-ready", state, `Open a new connection: ${AGE_LIMIT}.`);
  } else if (isTooFast(connection.data, nowMs)) {
    refuse(connection, "too-many-requests", state, CONNECTION_RATE);
  } else {
    const may = gateway.mayRegister(connection.address);
    if (may === true) addRegistration(gateway, connection, message);
    else {
      may
        .then((allowed) => {
          if (allowed) addRegistration(gateway, connection, message);
          else refuse(connection, "too-many-requests", state, ADDRESS_RATE);
        })
        .catch(gateway.onFault);
    }
  }
}

function addRegistration(gateway: Gateway, connection: ClientConnection, message: RegisterMessage): void {
  const { state } = message;
  const outcome = gateway.registrations.register(connection, message);
  if (!(outcome instanceof Promise)) answerRegister(connection, state, outcome);
  else outcome.then((later) => answerRegister(connection, state, later)).catch(gateway.onFault);
}

function answerRegister(connection: ClientConnection, state: string, outcome: RegisterOutcome): void {
  if (outcome === "registered") connection.send(registeredText(state));
  else if (outcome !== "gone") refuse(connection, outcome, state);
}

/** Its registrations are served until they end, but new ones need a new connection. */
const isOld = ({ connectedAtMs }: Client, nowMs: number): boolean =>
  nowMs - connectedAtMs >= GATEWAY_LIMITS.connectionLifeMs;

/** Counts one `register` message. */
function isTooFast(client: Client, nowMs: number): boolean {
  // Capped: after the clock is set back, the client must not have to wait until it catches up.
  const latestMs = nowMs + REGISTER_BURST_MS + MS_PER_REGISTER;
  const dueMs = Math.min(Math.max(client.registersDueMs, nowMs), latestMs);
  const isTooMany = dueMs - nowMs > REGISTER_BURST_MS;
  client.registersDueMs = isTooMany ? dueMs : dueMs + MS_PER_REGISTER;
  return isTooMany;
}

function refuse(connection: ClientConnection, code: ProblemCode, state: string | null, sentence?: string): void {
  connection.send(errorText(code, state, sentence));
  connection.data.refusals += 1;
  if (connection.data.refusals > GATEWAY_LIMITS.maxRefusals) {
    connection.close(CLOSE_POLICY, "too many refused messages");
  }
}

function refuseFrame(connection: ClientConnection, why: Refusal): void {
  if (why === "binary") refuse(connection, "malformed-request", null, "Send text frames, not binary ones.");
  else refuse(connection, "payload-too-large", null, SIZE_LIMIT);
}

function closeUnused(connection: ClientConnection, nowMs: number): void {
  const { held, emptySinceMs } = connection.data;
  if (held.length > 0) return;
  if (isOld(connection.data, nowMs)) connection.close(CLOSE_GOING_AWAY, AGE_LIMIT);
  else if (nowMs - emptySinceMs >= GATEWAY_LIMITS.emptyConnectionMs) connection.close(CLOSE_POLICY, EMPTY_LIMIT);
}
