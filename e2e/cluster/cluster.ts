import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type Service, startPostgres, startRedis } from "../../scripts/services/index.ts";
import { type RunningGateway, startGateway } from "../support/gateway.ts";
import { type RunningPlatform, startPlatform } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import { startNginx } from "./nginx.ts";
import { startS3 } from "./s3.ts";

export type Cluster = AsyncDisposable & {
  /** Where everybody calls: nginx in front of the platforms, and in front of the gateways. */
  url: string;
  gatewayUrl: string;
  platforms: readonly RunningPlatform[];
  gateways: readonly RunningGateway[];
  postgres: Service;
  redis: Service;
  s3: Service;
  nginx: Service;
  /** Every process says that it is ready, and misses nothing. */
  isWell(): Promise<void>;
};

/** Three platforms, two gateways, nginx, PostgreSQL, Redis and an S3 store, all processes of their own. */
export async function startCluster(): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const projects = await mkdtemp(join(tmpdir(), "backplane-projects-"));
  stack.defer(() => rm(projects, { recursive: true, force: true }));
  const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()]);
  for (const service of [postgres, redis, s3]) stack.use(service);
  const [platformPorts, gatewayPorts] = [await freePorts(3), await freePorts(2)];
  const [port, gatewayPort] = [await freePort(), await freePort()];
  const nginx = stack.use(
    await startNginx([
      { name: "platforms", port, behind: platformPorts },
      { name: "gateways", port: gatewayPort, behind: gatewayPorts },
    ]),
  );
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
  };
  const [platforms, gateways] = await Promise.all([
    Promise.all(platformPorts.map(async (own) => startPlatform({ ...env, PLATFORM_PORT: String(own) }))),
    Promise.all(gatewayPorts.map(async (own) => startGateway({ ...env, GATEWAY_PORT: String(own) }))),
  ]);
  for (const process of [...platforms, ...gateways]) stack.use(process);
  const parts = { url, gatewayUrl, platforms, gateways, postgres, redis, s3, nginx };
  const kept = stack.move();
  return { ...parts, isWell: () => isWell(parts), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, () => freePort()));

async function isWell({ url, gatewayUrl, platforms, gateways }: Omit<Cluster, "isWell" | keyof AsyncDisposable>) {
  const each = [...platforms, ...gateways].map((process) => process.url);
  for (const at of [...each, url, gatewayUrl]) {
    await until(async () => {
      const answer = await fetch(`${at}/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
      const ready = (await answer?.json().catch(() => undefined)) as { degraded?: string[] } | undefined;
      return answer?.status === 200 && ready?.degraded?.length === 0;
    }, `${at} is ready and misses nothing`);
  }
}
