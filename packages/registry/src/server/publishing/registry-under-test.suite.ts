import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Scope } from "@backplane/contract/accounts";
import type { Caller } from "@backplane/kit/callers";
import { type Database, migrate } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import type { ProblemBody } from "@backplane/kit/problems";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import type { BlobStore } from "../blobs/blob-store.ts";
import { openFolderStore } from "../blobs/folder-store.ts";
import { migrations } from "../migrations.ts";
import type { Owners } from "../owners.ts";
import type { RegistryTables } from "../tables.ts";
import type { PublishingLimits } from "./options.ts";
import { uploadsFolder } from "./receive-upload.ts";
import { servePublishing } from "./routes.ts";
import type { RegistryQuota } from "./usage.ts";

/** Empty tables; each call opens them again, as another instance does. */
export type OpenTestDatabase = (t: TestContext) => Promise<() => Promise<Database<RegistryTables>>>;
export type Instance = Awaited<ReturnType<typeof startInstance>>;

export const BASE_URL = "https://registry.example.org";

/** People by token; "lab" is an organisation of ada and bob. */
const SCOPES: Record<string, readonly Scope[]> = { "reads-only": ["read", "panels"] };
const MEMBERS: Record<string, readonly string[]> = { "org-lab": ["ada", "bob"] };

function createOwners(haveLeft: ReadonlySet<string>): Owners {
  const isMember = (userId: string, ownerId: string) =>
    (MEMBERS[ownerId] ?? []).some((member) => userId === `id-${member}` && !haveLeft.has(member));
  return {
    async resolve(userId, name) {
      if (userId === `id-${name}`) return userId;
      return isMember(userId, `org-${name}`) ? `org-${name}` : undefined;
    },
    mayAct: async (userId, ownerId) => userId === ownerId || isMember(userId, ownerId),
    listFor: async (userId) =>
      [userId, ...Object.keys(MEMBERS).filter((id) => isMember(userId, id))].map((id) => ({ id })),
    nameOf: async (ownerId) => ownerId.replace(/^(id|org)-/, ""),
  };
}

const callerOf = (authorization: string | undefined): Caller | undefined => {
  const name = /^Bearer token-(.+)$/.exec(authorization ?? "")?.[1];
  if (name === undefined) return undefined;
  const scopes = SCOPES[name] ?? (["panels", "publish", "read"] as const);
  return {
    userId: `id-${name}`,
    userName: name,
    kind: "ApiKey",
    credentialId: `key-${name}`,
    credentialName: name,
    scopes,
  };
};

/** What several instances share. */
export async function openTables(t: TestContext, open: OpenTestDatabase) {
  const ends: (() => Promise<void>)[] = [];
  // Before the database's own: hooks run in the order in which they were added.
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const connect = await open(t);
  const database = await connect();
  await migrate(database as Database<unknown>, migrations, () => 1);
  const folder = await mkdtemp(join(tmpdir(), "publishing-"));
  t.after(() => rm(folder, { recursive: true }));
  const blobs = await openFolderStore(join(folder, "blobs"));
  return { connect, database, blobs, folder, ends };
}

type InstanceOptions = {
  database: Database<RegistryTables>;
  blobs: BlobStore;
  folder: string;
  ends: (() => Promise<void>)[];
  /** Told apart from another instance's. */
  name?: string;
  changed?: () => Promise<void>;
  limits?: Partial<PublishingLimits>;
  quota?: RegistryQuota;
  http?: Partial<{ requestTimeoutMs: number; lingerMs: number; timeoutCheckMs: number }>;
};

/** One instance that listens, because publishing is about what arrives on sockets. */
export async function startInstance(options: InstanceOptions) {
  const { database, blobs, folder, name = "one" } = options;
  const home = join(folder, name);
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const lines: string[] = [];
  const changes = { count: 0 };
  const clock = { nowMs: Date.UTC(2026, 6, 28, 14, 30) };
  const now = () => clock.nowMs;
  /** People whose sessions have ended, and who have left their organisation. */
  const [signedOut, haveLeft] = [new Set<string>(), new Set<string>()];
  const owners = createOwners(haveLeft);
  const app = await createApp({
    onlyDeclaredProblems: true,
    log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics("test"),
    now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
    limits: options.http ?? {},
  });
  servePublishing(app, {
    ...{ database, blobs, owners, home, now, onFault, baseUrl: BASE_URL, brands: ["tool", "kicad"] },
    async whoIsCalling({ headers }) {
      const caller = callerOf(headers.authorization);
      return caller && !signedOut.has(caller.userName) ? caller : undefined;
    },
    newLimiter: (limit) => createRateLimiter({ ...limit, redis: undefined, now, onFault }),
    limits: options.limits ?? {},
    quota: options.quota ?? { archiveBytes: 1024 ** 3, packages: 1_000 },
    changed:
      options.changed ??
      (async () => {
        changes.count += 1;
      }),
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  options.ends.push(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;

  /** A POST of an archive by a person; the body as it is given. */
  async function post(person: string, body: Uint8Array | string, query = "", headers: Record<string, string> = {}) {
    const response = await fetch(`http://127.0.0.1:${port}/registry/packages${query}`, {
      method: "POST",
      headers: { "content-type": "application/zip", authorization: `Bearer token-${person}`, ...headers },
      body: typeof body === "string" ? body : new Uint8Array(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as object,
    };
  }

  const changing =
    (method: string) =>
    async (person: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(`http://127.0.0.1:${port}/registry/packages/${path}`, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer token-${person}`, ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: JSON.parse((await response.text()) || "{}") as object };
    };
  const [patch, unpublish] = [changing("PATCH"), changing("DELETE")];

  const leftUploads = () => readdir(uploadsFolder(home));
  return { app, port, home, post, patch, unpublish, leftUploads, faults, lines, changes, clock, signedOut, haveLeft };
}

export async function startOne(t: TestContext, open: OpenTestDatabase, more: Partial<InstanceOptions> = {}) {
  const shared = { ...(await openTables(t, open)), ...more };
  const instance = await startInstance(shared);
  return { ...shared, ...instance, ...looking(shared) };
}

/** What the tables and the store contain. */
export function looking({ database, blobs }: Pick<InstanceOptions, "database" | "blobs">) {
  return {
    async listed(): Promise<string[]> {
      const rows = await database.durable.selectFrom("registry_versions").selectAll().execute();
      return rows.map((row) => `${row.identifier_key} ${row.epoch}-${row.major}.${row.minor}.${row.patch}`).sort();
    },
    async blobKeys(): Promise<string[]> {
      const keys: string[] = [];
      for await (const { key } of blobs.list("")) keys.push(key);
      return keys.sort();
    },
    async state() {
      return database.durable.selectFrom("registry_state").selectAll().executeTakeFirstOrThrow();
    },
  };
}

export const problemOf = (answer: { body: unknown }): ProblemBody => answer.body as ProblemBody;
