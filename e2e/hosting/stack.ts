import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type Service, startPostgres, startRedis } from "../../scripts/services/index.ts";
import { startS3 } from "../cluster/s3.ts";
import { type RunningGateway, startGateway } from "../support/gateway.ts";
import { type RunningPlatform, startPlatform } from "../support/platform.ts";
import { type RunningViewer, startViewer } from "../support/viewer.ts";
import { makeCertificates, PUBLIC, reachPublicNames } from "./public-names.ts";
import { type ProxyName, startProxy } from "./start-proxy.ts";

/** What people reach by its public names, and what is behind them. */
export type Stack = AsyncDisposable & {
  urls: { platform: string; gateway: string; viewer: string; plain: string };
  platforms: readonly RunningPlatform[];
  gateways: readonly RunningGateway[];
  viewer: RunningViewer;
  viewerToken: string;
  proxy: Service;
  /** Where the proxy has its files, and its logs. */
  folder: string;
};

/** Three platforms, two gateways and a viewer on PostgreSQL, Redis and an S3 store, behind a proxy with TLS. */
export async function startStack(name: ProxyName): Promise<Stack> {
  await using stack = new AsyncDisposableStack();
  const [folder, projects] = ["proxy", "projects"].map((each) => mkdtempSync(join(tmpdir(), `backplane-${each}-`)));
  if (folder === undefined || projects === undefined) throw new Error("unreachable");
  for (const each of [folder, projects]) stack.defer(() => rmSync(each, { recursive: true, force: true }));
  reachPublicNames(readFileSync(makeCertificates(folder), "utf8"), "127.0.0.1");
  const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()]);
  for (const service of [postgres, redis, s3]) stack.use(service);
  const ports = { http: await freePort(), https: await freePort() };
  const at = (host: string) => `https://${host}:${ports.https}`;
  const env = {
    ...s3.env,
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    PROJECTS_FOLDER: projects,
    INDEXES_FOLDER: join(folder, "indexes"),
    BASE_URL: at(PUBLIC.platform),
    GATEWAY_URL: at(PUBLIC.gateway),
    VIEWER_URL: at(PUBLIC.viewer),
    FRAMES_URL: at(PUBLIC.frames),
    TRUST_PROXY: "127.0.0.1",
  };
  // One after the other: on a busy machine all at once would take longer than a start may.
  const platforms: RunningPlatform[] = [];
  for (let count = 0; count < 3; count += 1) platforms.push(stack.use(await startPlatform(env)));
  const gateways: RunningGateway[] = [];
  for (let count = 0; count < 2; count += 1) gateways.push(stack.use(await startGateway(env)));
  const viewer = stack.use(await startViewer(env));
  const viewerToken = readFileSync(join(viewer.home, "viewer-token"), "utf8").trim();
  const portsOf = (each: readonly { port: number }[]) => each.map(({ port }) => port);
  const behind = { platforms: portsOf(platforms), gateways: portsOf(gateways), viewer: viewer.port };
  const proxy = stack.use(await startProxy(name, { folder, behind, ports, viewerToken }));
  const plain = `http://127.0.0.1:${ports.http}`;
  const urls = { platform: env.BASE_URL, gateway: env.GATEWAY_URL, viewer: env.VIEWER_URL, plain };
  const kept = stack.move();
  return {
    ...{ urls, platforms, gateways, viewer, viewerToken, proxy, folder },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
