import type { Order } from "@backplane/contract/panels";
import type { Metrics } from "@backplane/kit/metrics";
import type { Answered } from "../services.ts";

export type ObserveOrder = (kind: Order["kind"], answered: Answered, ms: number) => void;

/** How many orders browsers were given, how they ended, and how long that took. */
export function measureOrders(metrics: Pick<Metrics, "gauges">): ObserveOrder {
  const outcomes = new Map<string, number>();
  const seconds = new Map<string, number>();
  const add = (map: Map<string, number>, key: string, more: number) => map.set(key, (map.get(key) ?? 0) + more);
  metrics.gauges("backplane_panels_orders", "What browsers were asked, by how it ended", "outcome", () => outcomes);
  metrics.gauges("backplane_panels_order_seconds", "How long browsers took in all, by order", "kind", () => seconds);
  return (kind, answered, ms) => {
    add(outcomes, answered.ok ? "answered" : answered.reason, 1);
    add(seconds, kind, ms / 1_000);
  };
}
