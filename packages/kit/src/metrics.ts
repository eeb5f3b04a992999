import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";

export type Metrics = {
  /** The Prometheus text, and its content type. */
  render(): Promise<string>;
  contentType: string;
  observeRequest(labels: RequestLabels, seconds: number): void;
  /** A value that is read when Prometheus asks. */
  gauge(name: string, help: string, read: () => number): void;
  /** The same for several values that differ by one label; the code must limit their number. */
  gauges(
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [value: string, count: number]>,
  ): void;
  counter(name: string, help: string): () => void;
};

/** Prometheus metrics of one process. Labels are route patterns, never addresses, so their number is limited by the code. */
export function createMetrics(process: string): Metrics {
  const registry = registryOf(process);
  const node = nodeMetricsOf(process);
  const requests = createRequestDurations(process);
  return {
    render: async () => `${requests.render()}\n${await node.metrics()}\n${await registry.metrics()}`,
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

function registryOf(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  return registry;
}

/**
 * How often the delay of the event loop is looked at. prom-client's 10 ms cost every idle process 5 ms of CPU time per
 * second. What it reports contains this interval: an idle process has a delay of 50 ms.
 */
const EVENT_LOOP_DELAY_EVERY_MS = 50;

const nodeMetrics = new Map<string, Registry>();

/** What Node tells is about the whole process and is measured all the time: once is enough. */
function nodeMetricsOf(process: string): Registry {
  const known = nodeMetrics.get(process);
  if (known) return known;
  const registry = registryOf(process);
  collectDefaultMetrics({
    ...{ register: registry, prefix: "backplane_" },
    eventLoopMonitoringPrecision: EVENT_LOOP_DELAY_EVERY_MS,
  });
  nodeMetrics.set(process, registry);
  return registry;
}

const NAME = "backplane_http_request_duration_seconds";
const BUCKETS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `key`: see `labelsOfRoute`; whoever counts the same often puts it together once. */
export type RequestLabels = { method: string; route: string; status: number; key?: string };

const requestKey = ({ method, route, status }: RequestLabels): string => `${status}${method} ${route}`;

/** The labels of a route's answers, put together once for each status. */
export function labelsOfRoute(method: string, route: string): (status: number) => RequestLabels {
  const known = new Map<number, RequestLabels>();
  return (status) => {
    let labels = known.get(status);
    if (!labels) {
      const own = { method, route, status };
      labels = { ...own, key: requestKey(own) };
      known.set(status, labels);
    }
    return labels;
  };
}

type Series = { labels: RequestLabels; counts: number[]; sumS: number; total: number };

/**
 * How long requests took, as a Prometheus histogram. Every request is counted here: prom-client sorts and joins its labels
 * each time, which is a tenth of a short request; this looks up the series by one string.
 */
export function createRequestDurations(process: string) {
  const series = new Map<string, Series>();
  return {
    observe(labels: RequestLabels, seconds: number): void {
      const key = labels.key ?? requestKey(labels);
      let found = series.get(key);
      if (found === undefined) {
        found = { labels, counts: BUCKETS_S.map(() => 0), sumS: 0, total: 0 };
        series.set(key, found);
      }
      found.total += 1;
      found.sumS += seconds;
      const bucket = BUCKETS_S.findIndex((upTo) => seconds <= upTo);
      if (bucket >= 0) found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
    },

    render(): string {
      const lines = [`# HELP ${NAME} How long requests took, by method, route and status`, `# TYPE ${NAME} histogram`];
      for (const { labels, counts, sumS, total } of series.values()) {
        const own = `method="${quoted(labels.method)}",route="${quoted(labels.route)}",status="${labels.status}"`;
        const all = `${own},process="${quoted(process)}"`;
        let upToHere = 0;
        for (const [index, upTo] of BUCKETS_S.entries()) {
          upToHere += counts[index] ?? 0;
          lines.push(`${NAME}_bucket{le="${upTo}",${all}} ${upToHere}`);
        }
        lines.push(`${NAME}_bucket{le="+Inf",${all}} ${total}`, `${NAME}_sum{${all}} ${sumS}`);
        lines.push(`${NAME}_count{${all}} ${total}`);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}

const quoted = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
