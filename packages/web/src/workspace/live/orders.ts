import type { BrowserMessage, JsonData, Order } from "@backplane/contract/panels";
import { OrderRefused } from "../panel.ts";
import type { SetTimer } from "./environment.ts";

export type OrderHandler = (order: Order) => Promise<JsonData>;
type Answer = Extract<BrowserMessage, { type: "answer" }>;

export type Orders = {
  /** Orders for this tab, or for "workspace", go to the handler that was added last. */
  addHandler(target: string, handler: OrderHandler): () => void;
  take(id: string, order: Order): void;
  /** Nobody waits for the answer any more. */
  withdraw(id: string): void;
  /** The connection is lost, and with it everybody who waits. */
  withdrawAll(): void;
};

/** How long an order waits for its panel to mount: less than its caller waits, so that the caller learns why. */
const MOUNT_WAIT_MS = 5_000;
const SHARE_OF_EVAL_TIME = 0.5;
const MAX_EVAL_MOUNT_WAIT_MS = 1_000;

const mountWaitMs = (order: Order): number =>
  order.kind === "eval" ? Math.min(MAX_EVAL_MOUNT_WAIT_MS, order.timeoutMs * SHARE_OF_EVAL_TIME) : MOUNT_WAIT_MS;

const targetOf = (order: Order): string => (order.kind === "shot" ? "workspace" : order.tabId);

type Options = { answer: (answer: Answer) => void; setTimer: SetTimer; onFault: (error: unknown) => void };

/** Brings orders to the panels that carry them out, and the answers back. */
export function createOrders({ answer, setTimer, onFault }: Options): Orders {
  const handlers = new Map<string, OrderHandler[]>();
  const waiting = new Map<string, { order: Order; cancel: () => void }>();
  const running = new Set<string>();

  function refusal(id: string, order: Order, fault: unknown): Answer {
    if (fault instanceof OrderRefused)
      return { type: "answer", id, ok: false, code: fault.code, detail: fault.message };
    onFault(fault);
    const code = order.kind === "shot" ? "shot-failed" : "unsupported";
    return { type: "answer", id, ok: false, code, detail: "The panel failed to do this." };
  }

  async function run(id: string, order: Order, handler: OrderHandler): Promise<void> {
    running.add(id);
    let last: Answer;
    try {
      last = { type: "answer", id, ok: true, value: await handler(order) };
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
      const own: OrderHandler = (order) => handler(order);
      handlers.set(target, [...(handlers.get(target) ?? []), own]);
      for (const [id, { order, cancel }] of [...waiting]) {
        if (targetOf(order) !== target) continue;
        cancel();
        waiting.delete(id);
        void run(id, order, own);
      }
      return () => {
        const rest = (handlers.get(target) ?? []).filter((other) => other !== own);
        if (rest.length > 0) handlers.set(target, rest);
        else handlers.delete(target);
      };
    },
    take(id, order) {
      const handler = handlers.get(targetOf(order))?.at(-1);
      if (handler) void run(id, order, handler);
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
