import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = {
  /** The Prometheus text, and its content type. */
  render(): Promise<string>;
  contentType: string;
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  /** A value that is read when it is scraped. */
  gauge(name: string, help: string, read: () => number): void;
  /** The same for values that differ by one label, whose number the code bounds. */
  gauges(
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [value: string, count: number]>,
  ): void;
  counter(name: string, help: string): () => void;
};

const DURATION_BUCKETS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Prometheus metrics of one process. Labels are route patterns, never addresses: their number is bounded by the code. */
export function createMetrics(process: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry, prefix: "backplane_" });
  const requests = new Histogram({
    name: "backplane_http_request_duration_seconds",
    help: "How long requests took, by method, route and status",
    labelNames: ["method", "route", "status"] as const,
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  return {
    render: () => registry.metrics(),
    contentType: registry.contentType,
    observeRequest: (labels, seconds) => requests.observe({ ...labels, status: String(labels.status) }, seconds),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    gauges(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect() {
          for (const [value, count] of read()) this.set({ [label]: value }, count);
        },
      });
    },
    counter(name, help) {
      const counter = new Counter({ name, help, registers: [registry] });
      return () => counter.inc();
    },
  };
}
