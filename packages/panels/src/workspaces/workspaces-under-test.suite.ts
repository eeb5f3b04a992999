import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type OpenBus, openBus } from "@backplane/kit/bus";
import type { Caller, Owners, WhoIsCalling } from "@backplane/kit/callers";
import { type Database, migrate } from "@backplane/kit/database";
import { createMetrics } from "@backplane/kit/metrics";
import type { KyselyPlugin } from "kysely";
import { createTestAccess } from "../access.suite.ts";
import { migrations } from "../migrations.ts";
import { NO_LIBRARIES, NO_PACKAGES } from "../packages/sample-packages.suite.ts";
import type { Dependencies } from "../services.ts";
import type { PanelsTables } from "../tables.ts";
import type { Stage } from "./stages.suite.ts";
import { openWorkspaces } from "./workspaces.ts";

const START_MS = Date.UTC(2026, 6, 28, 14, 30);

/** People are known by their name here; their ids are not their names. Everybody but Eve is in the organisation "Guild", which Ada owns. */
const idOf = (name: string): string => `id-${name.toLowerCase()}`;
const isInGuild = (userId: string): boolean => userId !== idOf("eve");
const owners: Owners = {
  resolve: async (userId, name) =>
    userId === idOf(name) || (idOf(name) === idOf("guild") && isInGuild(userId)) ? idOf(name) : undefined,
  mayAct: async (userId, ownerId) => userId === ownerId || (ownerId === idOf("guild") && isInGuild(userId)),
  mayManage: async (userId, ownerId) => userId === ownerId || (ownerId === idOf("guild") && userId === idOf("ada")),
  nameOf: async (id) => (id === idOf("guild") ? "Guild" : id.slice(idOf("").length)),
  listFor: async (userId) => [
    { id: userId, name: userId.slice(idOf("").length) },
    ...(isInGuild(userId) ? [{ id: idOf("guild"), name: "Guild" }] : []),
  ],
  idOf: async (name) => idOf(name),
  personNamed: async (name) => (["guild", "nobody"].includes(name) ? undefined : idOf(name)),
  listRemoved: async () => [],
  onRemoved: () => {},
};

/** A name is a person's browser; "name/program" a program of theirs, "name/read" a key that may only read, "name/none" one that may only publish. */
export function callerOf(text: string): Caller {
  const [name = "", program] = text.split("/");
  return {
    ...{ userId: idOf(name), userName: name, credentialId: text, credentialName: program ?? "Firefox" },
    kind: program === undefined ? "Browser" : "ApiKey",
    scopes: program === "read" ? ["read"] : program === "none" ? ["publish"] : ["panels", "publish", "read"],
  };
}
const whoIsCalling: WhoIsCalling = async ({ headers }) => {
  const text = headers.authorization?.replace("Bearer ", "");
  return text === undefined ? undefined : callerOf(text);
};

export type UnderTest = Awaited<ReturnType<typeof openStage>>;
export type Instance = UnderTest["first"];

/** Two instances on one database; the test sets the clock. */
export async function openStage(t: TestContext, stage: Stage) {
  const clock = { nowMs: START_MS };
  const now = () => clock.nowMs;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const access = createTestAccess();
  const { followAccess } = access;
  const ends: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
    assert.deepEqual(faults, []);
  });
  const { open, discard } = await stage.prepare();
  ends.push(discard);
  const connect = await stage.openBus?.();
  const shared = connect ? undefined : await openBus({ now, onFault });
  if (shared) ends.push(() => shared.close());

  async function start() {
    const opened = await open();
    await migrate(opened as Database<unknown>, migrations, () => 1);
    const bus = shared ?? (await (connect as () => Promise<OpenBus>)());
    if (!shared) ends.push(() => bus.close());
    const { database, queries } = countQueries(opened);
    const dependencies: Dependencies = {
      ...{
        database,
        bus,
        now,
        whoIsCalling,
        followAccess,
        owners,
        onFault,
        panelPackages: NO_PACKAGES,
        libraryPackages: NO_LIBRARIES,
        metrics: createMetrics("test"),
      },
      settings: {
        ...{ baseUrl: "http://localhost:8790", framesUrl: "http://*.localhost:8790", projectsFolder: "" },
        quotas: { fileBytes: 1024 ** 3, archiveBytes: 1024 ** 3, packages: 10 },
        ...{
          proxyAllow: [],
          trustProxy: [],
          host: "127.0.0.1",
          gatewayPort: 8795,
          watchdogPort: 8796,
          viewerPort: 8770,
          panelAliases: { "acme/models": "3d-viewer" },
          panelOrigins: ["https://bench.example"],
        },
      },
    };
    return { dependencies, database, bus, queries, workspaces: openWorkspaces(dependencies) };
  }

  return { clock, access, ends, faults, onFault, first: await start(), last: await start() };
}

/** How many queries were answered. */
function countQueries(database: Database<PanelsTables>) {
  const queries = { count: 0 };
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      queries.count += 1;
      return result;
    },
  };
  return {
    queries,
    database: {
      ...database,
      durable: database.durable.withPlugin(counting),
      shortLived: database.shortLived.withPlugin(counting),
    },
  };
}

/** Resolves when the condition holds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAtMs = Date.now() + 120_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < endsAtMs, `not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
