import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type Service, startPostgres, startRedis } from "../../scripts/services/index.ts";
import { type RunningGateway, startGateway } from "../support/gateway.ts";
import { MOVABLE_CLOCK } from "../support/movable-clock.ts";
import { type RunningPlatform, startPlatform } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import type { ProgramOf } from "../support/restartable.ts";
import { type Site, startSite } from "../support/site.ts";
import { noSmallDisks, ON_SMALL_DISKS } from "../support/small-disk.ts";
import { startFront } from "./nginx.ts";
import { startS3 } from "./s3.ts";

export type Cluster = AsyncDisposable & {
  /** Where everybody calls: nginx in front of the platforms, and in front of the gateways. */
  url: string;
  gatewayUrl: string;
  /** The first one has a small disk of its own where the system allows it, and the clocks of all can be moved. */
  platforms: readonly RunningPlatform[];
  gateways: readonly RunningGateway[];
  postgres: Service;
  redis: Service;
  s3: Service;
  nginx: Service;
  /** Of somebody else: web views show it. */
  site: Site;
  /** Every process says that it is ready, and misses nothing. */
  isWell(): Promise<void>;
};

/** Three platforms, two gateways, nginx, PostgreSQL, Redis and an S3 store, all processes of their own. */
export async function startCluster(programOf?: ProgramOf): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const projects = await mkdtemp(join(tmpdir(), "backplane-projects-"));
  stack.defer(() => rm(projects, { recursive: true, force: true }));
  const [postgres, redis, s3, site] = await Promise.all([startPostgres(), startRedis(), startS3(), startSite()]);
  for (const service of [postgres, redis, s3, site]) stack.use(service);
  const [platformPorts, gatewayPorts] = [await freePorts(3), await freePorts(2)];
  const [port, gatewayPort] = [await freePort(), await freePort()];
  const nginx = stack.use(await startFront({ port, gatewayPort, platforms: platformPorts, gateways: gatewayPorts }));
  const url = `http://localhost:${port}`;
  const gatewayUrl = `http://localhost:${gatewayPort}`;
  const env = {
    ...s3.env,
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    PROJECTS_FOLDER: projects,
    BASE_URL: url,
    GATEWAY_URL: gatewayUrl,
    TRUST_PROXY: "127.0.0.1",
    DRAIN_DELAY_S: "1",
    PROXY_ALLOW: "127.0.0.1",
    ...MOVABLE_CLOCK,
    CLOCK_STEP_MS: "5000",
  };
  // One after the other: on a busy machine all at once would take longer than a start may.
  const platforms: RunningPlatform[] = [];
  for (const own of platformPorts) {
    const wrapper = platforms.length === 0 && !noSmallDisks() ? ON_SMALL_DISKS : [];
    platforms.push(stack.use(await startPlatform({ ...env, PLATFORM_PORT: String(own) }, wrapper, programOf)));
  }
  const gateways: RunningGateway[] = [];
  for (const own of gatewayPorts) {
    gateways.push(stack.use(await startGateway({ ...env, GATEWAY_PORT: String(own) }, programOf)));
  }
  const parts = { url, gatewayUrl, platforms, gateways, postgres, redis, s3, nginx, site };
  const kept = stack.move();
  return { ...parts, isWell: () => isWell(parts), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, () => freePort()));

async function isWell({ url, gatewayUrl, platforms, gateways }: Omit<Cluster, "isWell" | keyof AsyncDisposable>) {
  const each = [...platforms, ...gateways].map((process) => process.url);
  for (const at of [...each, url, gatewayUrl]) {
    const isReady = async () => /"ready":true.*"degraded":\[\]/.test(await readyAt(at));
    await until(isReady, `${at} is ready and misses nothing`);
  }
}

/** What /ready says; empty without an answer. */
export async function readyAt(url: string): Promise<string> {
  const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  return (await answer?.text().catch(() => "")) ?? "";
}
