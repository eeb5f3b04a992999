import type { Ticket } from "@backplane/contract/panels";
import type { Fault } from "../../calls/call.ts";
import type { Environment, Socket } from "./environment.ts";

export type ConnectionFault = { code: string; detail: string };

/** What every socket of a page speaks, besides messages of its own. */
type Spoken = { type: "welcome" | "renewed"; nowMs: number } | { type: string };

export type ConnectionEvents<Incoming extends Spoken> = {
  onMessage(message: Incoming): void;
  /** The fault, if this message says why the server closes the connection. */
  readFault(message: Incoming): ConnectionFault | undefined;
  onLost(fault: ConnectionFault | undefined): void;
  /** It is not tried again: the user is signed out or has no access, or there is no such workspace. */
  onRefused(fault: ConnectionFault): void;
};

/** Every wait of the connection. */
export const CONNECTION_WAITS = {
  /** After the first failure; it doubles with each further one. */
  firstRetryMs: 500,
  maxRetryMs: 15_000,
  /** From connecting to the server's welcome. */
  welcomeWithinMs: 15_000,
  renewEveryMs: 60_000,
  /** A server that does not confirm in this time is gone. */
  renewedWithinMs: 10_000,
} as const;

/** How long to wait before the next try. Spread at random, so that not all pages reconnect at the same moment. */
export function retryDelayMs(failures: number, random: () => number, atLeastMs = 0): number {
  const { firstRetryMs, maxRetryMs } = CONNECTION_WAITS;
  const longest = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1));
  return Math.max(atLeastMs, Math.round(longest * (0.5 + random() / 2)));
}

const REFUSED_STATUS: ReadonlySet<number> = new Set([401, 403]);
/** A ticket is refused with this code when there is no such workspace. */
const UNKNOWN = "workspace-unknown";
/** What the server sends when it has removed the workspace. */
const REMOVED = "not-found";

const faultOf = ({ code, detail, title }: Fault): ConnectionFault => ({ code, detail: detail ?? title });

const isGreeting = (message: Spoken): message is Extract<Spoken, { nowMs: number }> =>
  message.type === "welcome" || message.type === "renewed";

/** Keeps one connection to the server until `close`: ticket, socket, hello, and all of it again when it is lost. */
export class Connection<Incoming extends Spoken, Outgoing extends object> {
  readonly #environment: Environment;
  readonly #events: ConnectionEvents<Incoming>;
  readonly #stopWaking: () => void;
  #socket: Socket | undefined;
  #isOpen = false;
  #isClosed = false;
  #isWaitingToRetry = false;
  #failures = 0;
  #lastFault: ConnectionFault | undefined;
  #cancelTimer = () => {};
  /** How far the server's clock is ahead of this browser's. */
  #aheadMs = 0;
  /** Increases with every try, so that events of an earlier one are ignored. */
  #attempt = 0;

  constructor(environment: Environment, events: ConnectionEvents<Incoming>) {
    this.#environment = environment;
    this.#events = events;
    this.#stopWaking = environment.onWake(() => {
      if (this.#isWaitingToRetry) void this.#connect();
      // After sleep nobody knows whether the server is still there: ask it.
      else if (this.#isOpen) void this.#renew();
    });
    void this.#connect();
  }

  /** False when there is no connection now. */
  sendText(text: string): boolean {
    if (!this.#isOpen || !this.#socket) return false;
    this.#socket.send(text);
    return true;
  }

  send(message: Outgoing): boolean {
    return this.sendText(JSON.stringify(message));
  }

  /** A moment of the server's clock, by the clock of this browser. */
  toOwnClock(serverMs: number): number {
    return serverMs - this.#aheadMs;
  }

  /** Now, by the server's clock. */
  serverNowMs(): number {
    return this.#environment.now() + this.#aheadMs;
  }

  close(): void {
    this.#isClosed = true;
    this.#attempt += 1;
    this.#cancelTimer();
    this.#stopWaking();
    this.#dropSocket();
  }

  async #connect(): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    this.#isWaitingToRetry = false;
    this.#cancelTimer();
    const ticket = await this.#getTicket();
    if (!ticket) return;
    this.#later(() => this.#lose(undefined), CONNECTION_WAITS.welcomeWithinMs);
    const ifCurrent = (work: () => void) => {
      if (attempt === this.#attempt) work();
    };
    this.#socket = this.#environment.openSocket(ticket.socketPath, {
      onOpen: () => ifCurrent(() => this.#socket?.send(JSON.stringify({ type: "hello", ticket: ticket.ticket }))),
      onMessage: (message) => ifCurrent(() => this.#receive(message as Incoming)),
      onClose: () => ifCurrent(() => this.#lose(this.#lastFault)),
    });
  }

  async #renew(): Promise<void> {
    const ticket = await this.#getTicket();
    if (!ticket || !this.#isOpen) return;
    this.sendText(JSON.stringify({ type: "renew", ticket: ticket.ticket }));
    this.#later(() => this.#lose(undefined), CONNECTION_WAITS.renewedWithinMs);
  }

  /** A ticket; or undefined, after its failure was handled. */
  async #getTicket(): Promise<Ticket | undefined> {
    const attempt = this.#attempt;
    const answer = await this.#environment.getTicket();
    if (attempt !== this.#attempt) return undefined;
    if (answer.ok) return answer.value;
    const { fault } = answer;
    if (REFUSED_STATUS.has(fault.status) || fault.code === UNKNOWN) this.#refuse(faultOf(fault));
    else if (!this.#isOpen) this.#lose(faultOf(fault), (fault.retryAfterS ?? 0) * 1_000);
    // The lease outlives a short outage of the server.
    else this.#later(() => void this.#renew(), CONNECTION_WAITS.renewedWithinMs);
    return undefined;
  }

  #receive(message: Incoming): void {
    const fault = this.#events.readFault(message);
    if (fault) {
      this.#lastFault = fault;
      if (fault.code === REMOVED) this.#refuse(fault);
      return;
    }
    if (message.type === "welcome") {
      this.#isOpen = true;
      this.#failures = 0;
      this.#lastFault = undefined;
    }
    if (isGreeting(message)) {
      this.#aheadMs = message.nowMs - this.#environment.now();
      this.#later(() => void this.#renew(), CONNECTION_WAITS.renewEveryMs);
    }
    if (message.type !== "renewed") this.#events.onMessage(message);
  }

  #lose(fault: ConnectionFault | undefined, atLeastMs?: number): void {
    if (this.#isClosed) return;
    this.#attempt += 1;
    this.#failures += 1;
    this.#dropSocket();
    this.#isWaitingToRetry = true;
    this.#later(() => void this.#connect(), retryDelayMs(this.#failures, this.#environment.random, atLeastMs));
    this.#events.onLost(fault);
  }

  #refuse(fault: ConnectionFault): void {
    this.close();
    this.#events.onRefused(fault);
  }

  #later(callback: () => void, delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#environment.setTimer(callback, delayMs);
  }

  #dropSocket(): void {
    const dropped = this.#socket;
    this.#socket = undefined;
    this.#isOpen = false;
    dropped?.close();
  }
}
