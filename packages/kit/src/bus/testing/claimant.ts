import { openBus } from "../index.ts";

/**
 * A process of its own for redis-processes.redis.test.ts: says "ready", waits for an order, and answers how many of its
 * concurrent claims or takes won.
 */
export interface Order {
  readonly do: "claim" | "take";
  readonly key: string;
  readonly times: number;
}

const [url, prefix] = process.argv.slice(2);
const bus = await openBus({ url, prefix: prefix ?? "", now: Date.now, onFault: () => {} });

process.on("message", async (order: Order) => {
  const attempts = Array.from({ length: order.times }, async (_, i) =>
    order.do === "claim"
      ? bus.claims.claim(order.key, `${process.pid} ${i}`, 60_000)
      : (await bus.claims.take(order.key)) !== undefined,
  );
  process.send?.((await Promise.all(attempts)).filter(Boolean).length);
});
process.once("disconnect", () => bus.close());
process.send?.("ready");
