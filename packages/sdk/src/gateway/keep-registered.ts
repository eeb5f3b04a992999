import { type FinalMessage, type GatewayConnection, openGatewayConnection } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import type { Registration } from "./messages.ts";
import type { OpenSocket } from "./socket.ts";

export type RegistrationEvents = {
  onConnecting(attempt: number): void;
  /** After every successful connection. */
  onRegistered(): void;
  onLost(retryInMs: number): void;
  /** Once; the link has ended. */
  onFinal(message: FinalMessage): void;
};

export type KeepRegisteredOptions = {
  url: string;
  openSocket: OpenSocket;
  registration: Registration;
  /** 0 to 1, for the jitter: after a restart of the gateway its clients should not all come back at once. */
  random: () => number;
  events: RegistrationEvents;
};

export type KeptRegistration = { end(): void };

/** Keeps one state registered, reconnecting when needed, until a final message or `end`. */
export function keepRegistered({
  url,
  openSocket,
  registration,
  random,
  events,
}: KeepRegisteredOptions): KeptRegistration {
  let connection: GatewayConnection | undefined;
  let attempt = 0;
  // Only a connection that was stable earns a retry without delay.
  let losses = 1;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let steady: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    attempt += 1;
    events.onConnecting(attempt);
    connection = openGatewayConnection({
      url,
      openSocket,
      registration,
      comesBack: attempt > 1,
      events: {
        onRegistered() {
          steady = setTimeout(() => {
            losses = 0;
          }, LIMITS.steadyMs);
          events.onRegistered();
        },
        onLost() {
          clearTimeout(steady);
          const delayMs = retryDelayMs(losses, random);
          losses += 1;
          retry = setTimeout(connect, delayMs);
          events.onLost(delayMs);
        },
        onFinal(message) {
          clearTimeout(steady);
          events.onFinal(message);
        },
      },
    });
  }

  connect();
  return {
    end() {
      clearTimeout(retry);
      clearTimeout(steady);
      connection?.leave();
    },
  };
}

/** At once after a stable connection, then twice as long each time, half of it random. */
export function retryDelayMs(losses: number, random: () => number): number {
  if (losses === 0) return 0;
  const longestMs = Math.min(LIMITS.maxRetryMs, LIMITS.firstRetryMs * 2 ** (losses - 1));
  return longestMs * (0.5 + random() / 2);
}
