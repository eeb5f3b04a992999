import type { BrowserMessage, JsonData, Order } from "@backplane/contract/panels";
import { OrderRefused } from "../panel.ts";

/** Calls back once after a delay. Returns the function that prevents it. */
export type SetTimer = (callback: () => void, delayMs: number) => () => void;
export type OrderHandler = (order: Order) => Promise<JsonData>;
type Answer = Extract<BrowserMessage, { type: "answer" }>;

export type OrderDesk = {
  /** Orders for this tab, or for the workspace, go to the handler that came last. */
  onOrder(target: string, handler: OrderHandler): () => void;
  hasHandler(target: string): boolean;
  take(id: string, order: Order): void;
  /** Nobody waits for the answer any more. */
  withdraw(id: string): void;
  /** The connection is gone, and with it everybody who waits. */
  withdrawAll(): void;
};

/** How long an order waits for its panel to be mounted: shorter than its caller waits, so that it learns why. */
const MOUNT_WAIT_MS = 5_000;
const SHARE_OF_EVAL_TIME = 0.5;
const MAX_EVAL_MOUNT_WAIT_MS = 1_000;

const mountWaitMs = (order: Order): number =>
  order.kind === "eval" ? Math.min(MAX_EVAL_MOUNT_WAIT_MS, order.timeoutMs * SHARE_OF_EVAL_TIME) : MOUNT_WAIT_MS;

const targetOf = (order: Order): string => (order.kind === "shot" ? "workspace" : order.tabId);

type Waiting = { order: Order; cancel: () => void };

/** Brings orders to those who can carry them out, and their answers back. */
export function createOrderDesk(parameters: {
  answer: (answer: Answer) => void;
  setTimer: SetTimer;
  onFault: (error: unknown) => void;
}): OrderDesk {
  const { answer, setTimer, onFault } = parameters;
  const handlers = new Map<string, OrderHandler[]>();
  /** For a handler. */
  const waiting = new Map<string, Waiting>();
  /** For an answer. */
  const running = new Set<string>();

  const handlerOf = (target: string) => handlers.get(target)?.at(-1);

  function refusal(id: string, order: Order, fault: unknown): Answer {
    if (fault instanceof OrderRefused)
      return { type: "answer", id, ok: false, code: fault.code, detail: fault.message };
    onFault(fault);
    const code = order.kind === "shot" ? "shot-failed" : "unsupported";
    return { type: "answer", id, ok: false, code, detail: "The panel failed to do this." };
  }

  function run(id: string, order: Order, handler: OrderHandler): void {
    const end = (last: Answer) => {
      if (running.delete(id)) answer(last);
    };
    running.add(id);
    let result: Promise<JsonData>;
    try {
      result = handler(order);
    } catch (fault) {
      result = Promise.reject(fault);
    }
    result.then(
      (value) => end({ type: "answer", id, ok: true, value }),
      (fault) => end(refusal(id, order, fault)),
    );
  }

  function giveUp(id: string): void {
    if (!waiting.delete(id)) return;
    const detail = "This browser has not loaded the panel.";
    answer({ type: "answer", id, ok: false, code: "not-mounted", detail });
  }

  return {
    onOrder(target, handler) {
      const own: OrderHandler = (order) => handler(order);
      handlers.set(target, [...(handlers.get(target) ?? []), own]);
      for (const [id, { order, cancel }] of [...waiting]) {
        if (targetOf(order) !== target) continue;
        cancel();
        waiting.delete(id);
        run(id, order, own);
      }
      return () => {
        const rest = (handlers.get(target) ?? []).filter((other) => other !== own);
        if (rest.length > 0) handlers.set(target, rest);
        else handlers.delete(target);
      };
    },
    hasHandler: (target) => handlers.has(target),
    take(id, order) {
      const handler = handlerOf(targetOf(order));
      if (handler) run(id, order, handler);
      else waiting.set(id, { order, cancel: setTimer(() => giveUp(id), mountWaitMs(order)) });
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
