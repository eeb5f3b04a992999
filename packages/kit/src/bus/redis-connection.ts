import { setTimeout as sleep } from "node:timers/promises";
import { createClient, ErrorReply } from "@redis/client";
import { BusFault } from "./fault.ts";
import {
  CLOSE_WAIT_MS,
  COMMAND_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  HANDSHAKE_TIMEOUT_MS,
  HEARTBEAT_MS,
  MAX_BACKOFF_MS,
  MAX_COMMAND_WAIT_MS,
  MAX_QUEUED_COMMANDS,
  MIN_BACKOFF_MS,
} from "./limits.ts";

export type RedisClient = ReturnType<typeof newClient>;

/** One connection that comes back by itself. */
export interface RedisConnection {
  /** Sends something now or fails now: `BusFault` "unavailable" or "closed". */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>;
  /** Call it when the server sent something unasked: as long as it does, it is not dead. */
  heard(): void;
  /** Closes the connection and opens a new one. */
  drop(reason: unknown): void;
  /** Waits for commands that were sent already, then closes. */
  close(): Promise<void>;
}

export interface ConnectionEvents {
  /** Called after each connect; the connection counts as up when it resolves. */
  restore(client: RedisClient): Promise<void>;
  onUp(): void;
  /** Called for a lost connection and for each failed attempt to get one. */
  onDown(fault: BusFault): void;
}

export function openRedisConnection(url: string, { restore, onUp, onDown }: ConnectionEvents): RedisConnection {
  const ending = new AbortController();
  const client = newClient(url, ending.signal);
  const heard = createWaits({
    silenceMs: COMMAND_TIMEOUT_MS,
    maxWaitMs: MAX_COMMAND_WAIT_MS,
    lastHeardMs: () => lastHeardMs,
  });
  let lastHeardMs = 0;
  let closing = false;
  let lose = (_reason: unknown): void => {};
  // Without a listener the event would end the process.
  client.on("error", (error) => lose(error));

  async function run<T>(command: (client: RedisClient) => Promise<T>): Promise<T> {
    if (closing) throw new BusFault("closed", "the bus is closed");
    try {
      const reply = await heard(command(client));
      lastHeardMs = performance.now();
      return reply;
    } catch (error) {
      if (closing) throw new BusFault("closed", "the bus was closed meanwhile");
      // A peer that is silent without closing the connection could stay so for minutes.
      if (error instanceof Silent) lose(error);
      throw unavailable(error);
    }
  }

  /** Connects, and resolves when the connection is lost or could not be made. */
  async function connectOnce(): Promise<"was-up" | "was-never-up"> {
    const { promise: lost, resolve } = Promise.withResolvers<void>();
    let wasUp = false;
    let isLost = false;
    lose = (reason) => {
      if (isLost) return;
      isLost = true;
      if (!closing) onDown(unavailable(reason));
      resolve();
    };
    const connecting = client.connect();
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      await answeredWithin(connecting, HANDSHAKE_TIMEOUT_MS);
      await answeredWithin(restore(client), HANDSHAKE_TIMEOUT_MS);
      if (!isLost && !closing) {
        wasUp = true;
        onUp();
        heartbeat = setInterval(() => run((client) => client.ping()).catch(() => {}), HEARTBEAT_MS);
      }
      await lost;
    } catch (error) {
      lose(error);
    }
    clearInterval(heartbeat);
    client.destroy();
    // An attempt still under way must end before the next one begins: the client would carry on with both.
    await connecting.catch(() => {});
    return wasUp ? "was-up" : "was-never-up";
  }

  async function stayConnected(): Promise<void> {
    let failures = 0;
    while (!ending.signal.aborted) {
      failures = (await connectOnce()) === "was-up" ? 0 : failures + 1;
      await sleep(backoffMs(failures), undefined, { signal: ending.signal }).catch(() => {});
    }
    // An attempt that was under way when the connection was closed may have succeeded after all.
    client.destroy();
  }

  const staying = stayConnected();
  return {
    run,
    heard() {
      lastHeardMs = performance.now();
    },
    drop: (reason) => lose(reason),
    async close() {
      closing = true;
      if (client.isReady) await answeredWithin(client.close(), CLOSE_WAIT_MS).catch(() => {});
      ending.abort();
      lose(undefined);
      await staying;
    },
  };
}

/** Exponential, with jitter so that many instances do not come back at the same moment. */
function backoffMs(failures: number): number {
  const ceilingMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(failures, 16));
  return ceilingMs * (0.5 + Math.random() / 2);
}

/** Reconnecting is done here and not by the client, whose waiting could neither be ended nor bounded from outside. */
function newClient(url: string, signal: AbortSignal) {
  // Without an address the client would try one of its own.
  if (url === "") throw new BusFault("invalid", "the address of Redis is empty");
  try {
    return createClient({
      url,
      socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false, signal },
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_QUEUED_COMMANDS,
      // The client's own time-out ends when a command is written; `createWaits` also covers the answer.
      commandOptions: { timeout: 0 },
      maintNotifications: "disabled",
    });
  } catch {
    // The client's error quotes the address, and with it the password.
    throw new BusFault("invalid", "the address of Redis is not a redis:// or rediss:// URL");
  }
}

/** The server has sent nothing since it was asked: it counts as gone, whatever the connection looks like. */
export class Silent extends Error {}

/** The server answers others, but not this command in time. */
export class Overdue extends Error {}

/** The promise's outcome, or `Silent` after the given time. */
export function answeredWithin<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return createWaits({ silenceMs: timeoutMs, maxWaitMs: timeoutMs, lastHeardMs: () => 0 })(promise);
}

type Patience = { silenceMs: number; maxWaitMs: number; lastHeardMs: () => number };
type Waiting = { readonly sinceMs: number; readonly reject: (reason: Error) => void };

/**
 * Returns what waits for a promise: its outcome, or `Silent` when nothing was heard for `silenceMs`, or `Overdue` after
 * `maxWaitMs`. A long queue of commands is thereby not mistaken for a dead server. `lastHeardMs` is a time of
 * `performance.now()`. One timer serves all promises, since a timer would be a large part of the cost of a command.
 */
export function createWaits({ silenceMs, maxWaitMs, lastHeardMs }: Patience): <T>(promise: Promise<T>) => Promise<T> {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;

  // When this process itself was busy for longer, the answer may lie unread in the socket: the extra turn of the event
  // loop reads it before the time counts as up.
  function wake(inMs: number): void {
    timer = setTimeout(() => setImmediate(check), inMs);
  }

  function check(): void {
    timer = undefined;
    const nowMs = performance.now();
    let nextMs = silenceMs;
    for (const { sinceMs, reject } of waiting) {
      const quietMs = nowMs - Math.max(sinceMs, lastHeardMs());
      if (quietMs >= silenceMs) reject(new Silent());
      else if (nowMs - sinceMs >= maxWaitMs) reject(new Overdue());
      else nextMs = Math.min(nextMs, silenceMs - quietMs);
    }
    if (waiting.size > 0) wake(nextMs);
  }

  return (promise) =>
    new Promise((resolve, reject) => {
      function end(): void {
        waiting.delete(one);
        // It goes on for the next promise, but keeps no process alive.
        if (waiting.size === 0) timer?.unref();
      }
      const one: Waiting = {
        sinceMs: performance.now(),
        reject(reason) {
          end();
          reject(reason);
        },
      };
      if (timer === undefined) wake(silenceMs);
      else if (waiting.size === 0) timer.ref();
      waiting.add(one);
      promise.then((value) => {
        end();
        resolve(value);
      }, one.reject);
    });
}

/**
 * A fault without the client's own text and without it as a cause: a server quotes what it does not understand (before
 * version 6 the handshake with its password), and a bad address is quoted whole.
 */
function unavailable(error: unknown): BusFault {
  return new BusFault("unavailable", `Redis is not available (${reasonOf(error)})`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Silent || error instanceof Overdue) return "no answer in time";
  // An error reply begins with its kind in capitals: "WRONGPASS invalid username…", "LOADING Redis is…".
  if (error instanceof ErrorReply) return /^[A-Z]+\b/.exec(error.message)?.[0] ?? "error reply";
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.constructor.name : "unknown";
}
