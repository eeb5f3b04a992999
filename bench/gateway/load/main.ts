// The load generator: a separate process, so that its cost is not the server's. Its parent sends it orders over IPC.
import { connectCrowd } from "./connect.ts";
import { createCrowd } from "./crowd.ts";
import { cycle } from "./cycle.ts";
import { type Delivered, deliver } from "./deliver.ts";
import { hold } from "./hold.ts";
import type { LoadReport, Order } from "./orders.ts";
import { asFastAsPossible, countedOut, fixedRate } from "./pace.ts";
import { percentiles } from "./percentiles.ts";

const crowd = createCrowd(JSON.parse(process.argv[2] ?? ""));

type Done = Pick<LoadReport, "done" | "latency">;

async function carryOut(order: Order): Promise<Done> {
  switch (order.phase) {
    case "connect":
      return { done: await connectCrowd(crowd, order.sockets) };
    case "deliver":
      return { done: (await deliver(crowd, asFastAsPossible(order.seconds * 1_000))).delivered };
    case "deliver-once":
      return { done: (await deliver(crowd, countedOut(crowd.subscribers.size), { once: true })).delivered };
    case "latency":
      return timed(await deliver(crowd, fixedRate(order.perSecond, order.seconds * 1_000)));
    case "cycle":
      return { done: await cycle(crowd, order.seconds * 1_000) };
    case "hold":
      return { done: await hold(crowd, order.seconds * 1_000) };
  }
}

function timed({ delivered, latenciesMs, sentLateMs }: Delivered): Done {
  const [p50Ms = Number.NaN, p99Ms = Number.NaN] = percentiles(latenciesMs, 0.5, 0.99);
  const [sentP50Ms = Number.NaN, sentP99Ms = Number.NaN] = percentiles(sentLateMs, 0.5, 0.99);
  return { done: delivered, latency: { p50Ms, p99Ms, sentP50Ms, sentP99Ms } };
}

process.on("message", async (order: Order) => {
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const done = await carryOut(order);
  const { user, system } = process.cpuUsage(cpuBefore);
  const { counts, first } = crowd.link.faults.report();
  const report: LoadReport = {
    ...done,
    wallS: (performance.now() - startMs) / 1_000,
    cpuS: (user + system) / 1_000_000,
    faults: counts,
    firstFault: first,
  };
  process.send?.(report);
});
// The parent is gone.
process.on("disconnect", () => process.exit());
