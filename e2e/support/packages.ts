import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
// @ts-expect-error It has no types.
import s3rver from "s3rver";
import { type Sample, sampleEntries } from "../../packages/registry/src/archives/samples.suite.ts";
import { programOf } from "../../scripts/programs.ts";
import { createTestDatabase, freePort, startRedis } from "../../scripts/services/index.ts";
import { isLongRun } from "../../scripts/testing/long.ts";
import { plainEnvironment } from "./backplane.ts";
import { type Ran, startCommandHost } from "./command-host.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { signInAs } from "./person.ts";
import { startPlatform } from "./platform.ts";

export type Registry = AsyncDisposable & {
  /** The process, or the load balancer in front of several. */
  url: string;
  apiKey: string;
};

export const ENGINES = ["one instance on SQLite", "two instances over PostgreSQL, Redis and S3"] as const;
export type Engine = (typeof ENGINES)[number];

export async function startRegistry(engine: Engine): Promise<Registry> {
  await using stack = new AsyncDisposableStack();
  const url = engine === "one instance on SQLite" ? await startOne(stack) : await startTwo(stack);
  const owner = await signInAs(url);
  const body = { name: "publisher", scopes: ["read", "publish"] };
  const response = await owner.call(url, "/auth/api-keys", { method: "POST", body });
  const { key } = (await response.json()) as { key: string };
  assert.match(key, /^bpk_/);
  const kept = stack.move();
  return { url, apiKey: key, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function startOne(stack: AsyncDisposableStack): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  stack.use(await startPlatform({ PLATFORM_PORT: String(port), BASE_URL: url }));
  return url;
}

async function startTwo(stack: AsyncDisposableStack): Promise<string> {
  const [database, redis, s3] = await Promise.all([createTestDatabase(), startRedis(), startS3()]);
  for (const service of [database, redis, s3]) stack.use(service);
  const ports = [await freePort(), await freePort()];
  const balancer = stack.use(await startLoadBalancer(ports));
  const env = { ...s3.env, BASE_URL: balancer.url, DATABASE_URL: database.url, REDIS_URL: redis.url };
  const instances = await Promise.all(ports.map((port) => startPlatform({ ...env, PLATFORM_PORT: String(port) })));
  for (const instance of instances) stack.use(instance);
  return balancer.url;
}

type S3rver = { run(): Promise<AddressInfo>; close(): Promise<void>; httpServer: { closeAllConnections(): void } };

async function startS3() {
  const directory = await mkdtemp(join(tmpdir(), "backplane-s3-"));
  const configureBuckets = [{ name: "packages" }];
  const server = new s3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets }) as S3rver;
  const { port } = await server.run();
  return {
    env: {
      ARCHIVES_URL: "s3://packages/backplane",
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY_ID: "S3RVER",
      S3_SECRET_ACCESS_KEY: "S3RVER",
    },
    async [Symbol.asyncDispose]() {
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const run = (program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(program, args, { cwd, env: { ...plainEnvironment(), ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });

/**
 * `backplane pkg` commands run in one folder. The first of each kind is a process, started without bin/backplane.js, which
 * would look for newer sources every time; the others share one. In the long run each is a process.
 */
export function packageCommands(folder: string, env: NodeJS.ProcessEnv) {
  const program = programOf("cli");
  const own = { HOME: folder, ...env };
  const seen = new Set<string>();
  let host: ReturnType<typeof startCommandHost> | undefined;
  const pkg = (...args: string[]): Promise<Ran> => {
    const [name = ""] = args;
    if (isLongRun || !seen.has(name)) {
      seen.add(name);
      return run(process.execPath, [program, "pkg", ...args], folder, own);
    }
    host ??= startCommandHost(program, folder, { ...plainEnvironment(), ...own });
    return host.run(["pkg", ...args]);
  };
  return {
    pkg,
    [Symbol.asyncDispose]: async () => host?.[Symbol.asyncDispose](),
    /** With --json: stdout is one JSON value and nothing else, whatever the exit code. */
    async json<Answer>(expectedCode: number, ...args: string[]): Promise<Answer> {
      const { code, stdout, stderr } = await pkg(...args, "--json");
      assert.equal(stderr, "", args.join(" "));
      assert.match(stdout, /^[^\n]+\n$/, args.join(" "));
      assert.equal(code, expectedCode, `${args.join(" ")}: ${stdout}`);
      return JSON.parse(stdout) as Answer;
    },
  };
}

export type Refused = { error: { code: string; message: string; faults?: { pointer: string; message: string }[] } };

/** Writes a package folder as its author would. */
export function writeSource(folder: string, sample: Sample): void {
  for (const { path, bytes } of sampleEntries(sample)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** A static file server. */
export async function serveFiles(folder: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = String(request.url);
    asked.push(path);
    try {
      response.end(readFileSync(join(folder, path)));
    } catch {
      response.writeHead(404).end("no such file");
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
