import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { createRequestDurations, type RequestLabels } from "./request-durations.ts";

export type Metrics = {
  /** The Prometheus text, and its content type. */
  render(): Promise<string>;
  contentType: string;
  observeRequest(labels: RequestLabels, seconds: number): void;
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

/** Prometheus metrics of one process. Labels are route patterns, never addresses: their number is bounded by the code. */
export function createMetrics(process: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry, prefix: "backplane_" });
  const requests = createRequestDurations(process);
  return {
    render: async () => `${requests.render()}\n${await registry.metrics()}`,
    contentType: registry.contentType,
    observeRequest: requests.observe,
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
