import type { BrowserMessage, Order } from "@backplane/contract/panels";
import { type OrderHandler, OrderRefused } from "../panel.ts";
import type { SetTimer } from "./environment.ts";

type Answer = Extract<BrowserMessage, { type: "answer" }>;

export type Orders = {
  /** Orders for this tab, or for "workspace", go to the handler that was added last. */
  addHandler(target: string, handler: OrderHandler): () => void;
  take(id: string, order: Order, untilMs: number): void;
  /** Nobody waits for the answer any more. */
  withdraw(id: string): void;
  /** The connection is lost, and with it everybody who waits. */
  withdrawAll(): void;
};

/** How long an order waits for its panel to mount: less than its caller waits, so that the caller learns why. */
const MOUNT_WAIT_MS = 5_000;
const SHARE_OF_EVAL_TIME = 0.5;
const MAX_EVAL_MOUNT_WAIT_MS = 1_000;

export const mountWaitMs = (order: Order): number =>
  order.kind === "eval" ? Math.min(MAX_EVAL_MOUNT_WAIT_MS, order.timeoutMs * SHARE_OF_EVAL_TIME) : MOUNT_WAIT_MS;

const targetOf = (order: Order): string => (order.kind === "shot" ? "workspace" : order.tabId);

type Options = {
  answer: (answer: Answer) => void;
  setTimer: SetTimer;
  now: () => number;
  onFault: (error: unknown) => void;
};

/** An order that came late: this browser was asleep, or its connection or its server did not answer for a while. */
const EXPIRED = "It came too late, and was not begun.";

/** Brings orders to the panels that carry them out, and the answers back. */
export function createOrders({ answer, setTimer, now, onFault }: Options): Orders {
  const handlers = new Map<string, OrderHandler[]>();
  const waiting = new Map<string, { order: Order; untilMs: number; cancel: () => void }>();
  const running = new Set<string>();

  function refusal(id: string, order: Order, fault: unknown): Answer {
    if (fault instanceof OrderRefused)
      return { type: "answer", id, ok: false, code: fault.code, detail: fault.message };
    onFault(fault);
    const code = order.kind === "shot" ? "shot-failed" : "unsupported";
    return { type: "answer", id, ok: false, code, detail: "The panel failed to do this." };
  }

  async function run(id: string, order: Order, untilMs: number, handler: OrderHandler): Promise<void> {
    running.add(id);
    let last: Answer;
    try {
      if (now() > untilMs) throw new OrderRefused("expired", EXPIRED);
      last = { type: "answer", id, ok: true, value: await handler(order, untilMs) };
    } catch (fault) {
      last = refusal(id, order, fault);
    }
    if (running.delete(id)) answer(last);
  }

  function giveUp(id: string): void {
    if (!waiting.delete(id)) return;
    const detail = "This browser has not loaded the panel.";
    answer({ type: "answer", id, ok: false, code: "not-mounted", detail });
  }

  return {
    addHandler(target, handler) {
      // A function of its own: the same handler may be added twice.
      const own: OrderHandler = (order, untilMs) => handler(order, untilMs);
      handlers.set(target, [...(handlers.get(target) ?? []), own]);
      for (const [id, { order, untilMs, cancel }] of [...waiting]) {
        if (targetOf(order) !== target) continue;
        cancel();
        waiting.delete(id);
        void run(id, order, untilMs, own);
      }
      return () => {
        const rest = (handlers.get(target) ?? []).filter((other) => other !== own);
        if (rest.length > 0) handlers.set(target, rest);
        else handlers.delete(target);
      };
    },
    take(id, order, untilMs) {
      const handler = handlers.get(targetOf(order))?.at(-1);
      if (handler) void run(id, order, untilMs, handler);
      else waiting.set(id, { order, untilMs, cancel: setTimer(() => giveUp(id), mountWaitMs(order)) });
    },
    withdraw(id) {
      running.delete(id);
      waiting.get(id)?.cancel();
      waiting.delete(id);
    },
    withdrawAll() {
      running.clear();
      for (const { cancel } of waiting.values()) cancel();
      waiting.clear();
    },
  };
}
