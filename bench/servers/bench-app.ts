import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";

export const port = Number(process.env.PORT);

/** The kit's HTTP app with everything a process of ours has: limits, problems, headers, compression, metrics, log, API docs. */
export const createBenchApp = () =>
  createApp({
    log: createLog({ process: "bench", level: "info", destination: process.stdout }),
    metrics: createMetrics("bench"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
    apiDocs: { title: "Bench", description: "", version: "0", url: `http://127.0.0.1:${port}` },
  });
