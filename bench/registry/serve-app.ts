// The registry as the platform mounts it, on the tables in the folder that SEEDED names.
import { join } from "node:path";
import { openBus } from "@backplane/kit/bus";
import { openDatabase } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { openRegistryArea, type RegistryTables } from "@backplane/registry";

const home = process.env.SEEDED ?? process.cwd();
const onFault = (error: unknown) => console.error(error);
const database = await openDatabase<RegistryTables>({ url: undefined, home, onLostConnection: onFault });
const metrics = createMetrics("bench");
const area = await openRegistryArea({
  ...{ database, metrics, fetch, onFault, now: Date.now },
  bus: await openBus({ now: Date.now, onFault }),
  settings: {
    ...{
      baseUrl: "http://registry.example",
      home,
      registryBrands: (process.env.BRANDS ?? "tool").split(","),
      registryName: "Bench",
      trustProxy: [],
    },
    registryMaintainer: undefined,
    archives: { kind: "folder", folder: join(home, "archives") },
    indexesFolder: process.env.INDEXES_FOLDER,
    quotas: { fileBytes: 1e9, archiveBytes: 1e9, packages: 1_000 },
  },
  // Everybody who says who they are, for publications.
  whoIsCalling: async ({ headers: { from: userId } }) =>
    userId === undefined
      ? undefined
      : {
          ...{ userId, userName: userId, kind: "ApiKey", scopes: ["read", "publish"] },
          ...{ credentialId: "key", credentialName: "Bench" },
        },
  owners: {
    resolve: async () => undefined,
    mayAct: async (userId, ownerId) => userId === ownerId,
    listFor: async () => [],
    nameOf: async () => "owner",
  },
  requireInstanceOwner: async () => {
    throw new Error("There is no owner here.");
  },
});
const app = await createApp({
  log: createLog({ process: "bench", level: "info", destination: process.stdout }),
  ...{ metrics, now: Date.now, trustProxy: [], overHttps: false },
  readiness: { checks: {}, isDraining: () => false },
  answerFirst: area.answerFirst,
});
await area.addRoutes(app);
await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
// As our processes do once they are started and idle.
setTimeout(() => globalThis.gc?.({ type: "major", flavor: "last-resort" }), 1_000).unref();
process.once("SIGTERM", async () => {
  await app.close();
  await area.close();
  await database.close();
  process.exit();
});
