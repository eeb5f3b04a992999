import { BenchFault } from "../harness/fault.ts";
import { connections } from "../harness/limits.ts";
import type { Load } from "../harness/load.ts";
import type { RunningServer } from "../harness/server.ts";
import { runWrk } from "../harness/wrk.ts";

/** Requests of a client that already has the file: each answer is 304, which wrk counts as success. */
export async function unchangedLoad({ url, label }: RunningServer, path: string): Promise<Load> {
  const first = await fetch(new URL(path, url), { headers: { "accept-encoding": "identity" } });
  await first.arrayBuffer();
  const etag = first.headers.get("etag");
  if (etag === null) throw new BenchFault(`${label} gives no ETag.`);
  const request = { path, headers: { "accept-encoding": "identity", "if-none-match": etag } };
  return {
    description: `GET ${path} with its ETag, ${connections} connections`,
    async run(target) {
      const { status } = await fetch(new URL(path, url), { headers: request.headers });
      if (status !== 304) throw new BenchFault(`${label} answered ${status}, not 304.`);
      return runWrk(request, target);
    },
  };
}
