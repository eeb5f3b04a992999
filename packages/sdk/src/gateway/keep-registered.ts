import { type FinalNews, openSession, type Session } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import type { Registration } from "./messages.ts";
import type { OpenSocket } from "./socket.ts";

export type LinkEvents = {
  onConnecting(attempt: number): void;
  /** After every successful connection. */
  onRegistered(): void;
  onLost(retryInMs: number): void;
  /** Once; the link has ended. */
  onFinal(news: FinalNews): void;
};

export type LinkOptions = {
  url: string;
  openSocket: OpenSocket;
  registration: Registration;
  /** 0 to 1, for the jitter: after a restart of the gateway its clients should not all come back at once. */
  random: () => number;
  events: LinkEvents;
};

export type Link = { end(): void };

/** Keeps one state registered, reconnecting when needed, until a final message or `end`. */
export function openLink({ url, openSocket, registration, random, events }: LinkOptions): Link {
  let session: Session | undefined;
  let attempt = 0;
  // Only a connection that was stable earns a retry without delay.
  let losses = 1;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let steady: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    attempt += 1;
    events.onConnecting(attempt);
    session = openSession({
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
        onFinal(news) {
          clearTimeout(steady);
          events.onFinal(news);
        },
      },
    });
  }

  connect();
  return {
    end() {
      clearTimeout(retry);
      clearTimeout(steady);
      session?.leave();
    },
  };
}

/** At once after a stable connection, then twice as long each time, half of it random. */
export function retryDelayMs(losses: number, random: () => number): number {
  if (losses === 0) return 0;
  const longestMs = Math.min(LIMITS.maxRetryMs, LIMITS.firstRetryMs * 2 ** (losses - 1));
  return longestMs * (0.5 + random() / 2);
}
