import type { BrowserMessage, ServerMessage } from "@backplane/contract/panels";
import type { Fault } from "../../calls/call.ts";
import { LINK_WAITS, retryDelayMs } from "./reconnect-plan.ts";
import type { PageSocket, Surroundings } from "./surroundings.ts";

export type LinkFault = { code: string; detail: string };

export type LinkEvents = {
  onMessage(message: Exclude<ServerMessage, { type: "error" | "renewed" }>): void;
  onLost(fault: LinkFault | undefined): void;
  /** It is not tried again: the user is not signed in, may not, or the workspace is gone. */
  onRefused(fault: LinkFault): void;
};

export type Link = {
  /** False: there is no connection now. */
  sendText(text: string): boolean;
  send(message: BrowserMessage): boolean;
  close(): void;
};

const REFUSED_STATUS: ReadonlySet<number> = new Set([401, 403]);
/** What the server says when it has removed the workspace. */
const REMOVED = "not-found";

const wordsOf = ({ code, detail, title }: Fault): LinkFault => ({ code, detail: detail ?? title });

/** Keeps one connection to the server, for as long as it is wanted: ticket, socket, hello, and again when it is lost. */
export function keepLink(around: Surroundings, events: LinkEvents): Link {
  let socket: PageSocket | undefined;
  let isOpen = false;
  let isEnded = false;
  let failures = 0;
  let lastFault: LinkFault | undefined;
  let cancelTimer = () => {};
  /** Goes up with every try: what an earlier one still does is ignored. */
  let attempt = 0;
  /** Set while waiting for the next try. */
  let isWaiting = false;

  function later(callback: () => void, delayMs: number): void {
    cancelTimer();
    cancelTimer = around.setTimer(callback, delayMs);
  }

  function dropSocket(): void {
    const dropped = socket;
    socket = undefined;
    isOpen = false;
    dropped?.close();
  }

  function end(): void {
    isEnded = true;
    attempt += 1;
    cancelTimer();
    stopWaking();
    dropSocket();
  }

  function refuse(fault: LinkFault): void {
    end();
    events.onRefused(fault);
  }

  function lose(fault: LinkFault | undefined, atLeastMs?: number): void {
    if (isEnded) return;
    attempt += 1;
    failures += 1;
    dropSocket();
    isWaiting = true;
    later(connect, retryDelayMs(failures, around.random, atLeastMs));
    events.onLost(fault);
  }

  /** A ticket; what goes wrong on the way is dealt with here. */
  async function ticketFor(own: number): Promise<{ ticket: string; socketPath: string } | undefined> {
    const answer = await around.getTicket();
    if (own !== attempt) return undefined;
    if (answer.ok) return answer.value;
    const { fault } = answer;
    if (REFUSED_STATUS.has(fault.status)) refuse(wordsOf(fault));
    else if (!isOpen) lose(wordsOf(fault), fault.retryAfterS === undefined ? 0 : fault.retryAfterS * 1_000);
    // The lease outlives a server that is away for a moment.
    else later(() => void renew(), LINK_WAITS.renewedWithinMs);
    return undefined;
  }

  async function connect(): Promise<void> {
    attempt += 1;
    const own = attempt;
    isWaiting = false;
    cancelTimer();
    const given = await ticketFor(own);
    if (!given) return;
    later(() => lose(undefined), LINK_WAITS.welcomeWithinMs);
    const ifCurrent = (work: () => void) => {
      if (own === attempt) work();
    };
    socket = around.openSocket(given.socketPath, {
      onOpen: () => ifCurrent(() => socket?.send(JSON.stringify({ type: "hello", ticket: given.ticket }))),
      onText: (text) => ifCurrent(() => hear(text)),
      onClose: () => ifCurrent(() => lose(lastFault)),
    });
  }

  async function renew(): Promise<void> {
    const given = await ticketFor(attempt);
    if (!given || !isOpen) return;
    send({ type: "renew", ticket: given.ticket });
    later(() => lose(undefined), LINK_WAITS.renewedWithinMs);
  }

  function hear(text: string): void {
    const message = JSON.parse(text) as ServerMessage;
    if (message.type === "error") {
      lastFault = { code: message.code, detail: message.detail };
      if (message.code === REMOVED) refuse(lastFault);
      return;
    }
    if (message.type === "welcome") {
      isOpen = true;
      failures = 0;
      lastFault = undefined;
    }
    if (message.type === "welcome" || message.type === "renewed") later(() => void renew(), LINK_WAITS.renewEveryMs);
    if (message.type !== "renewed") events.onMessage(message);
  }

  function sendText(text: string): boolean {
    if (!isOpen || !socket) return false;
    socket.send(text);
    return true;
  }
  const send = (message: BrowserMessage): boolean => sendText(JSON.stringify(message));

  const stopWaking = around.onWake(() => {
    if (isWaiting) void connect();
    // Whoever slept does not know whether the other side is still there: it must say so.
    else if (isOpen) void renew();
  });
  void connect();

  return { sendText, send, close: end };
}
