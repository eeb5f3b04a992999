// The embedded broker alone: what devices say reaches a link that does nothing with it. GET / answers with a key.
import { createServer } from "node:http";
import { openBus } from "@backplane/kit/bus";
import { migrate, openDatabase } from "@backplane/kit/database";
import { createMetrics } from "@backplane/kit/metrics";
import { migrations } from "../../packages/devices/src/migrations.ts";
import { createKeys } from "../../packages/devices/src/mqtt/keys.ts";
import { openMqtt } from "../../packages/devices/src/mqtt/mqtt.ts";
import type { DevicesTables } from "../../packages/devices/src/tables.ts";

const { PORT, MQTT_PORT } = process.env;
const workspace = { id: "w", owner: "bench", repo: "bench" };
const onFault = (error: unknown) => console.error(error);
const database = await openDatabase<DevicesTables>({ url: undefined, home: ".", onLostConnection: () => {} });
await migrate(database as never, migrations, Date.now);
const keys = createKeys(database);
const made = await keys.make(workspace.id, { name: "bench", gateway: true }, Date.now());
if (typeof made === "string") throw new Error(made);
const never = () => Promise.reject(new Error("There are no routes here."));
const mqtt = await openMqtt(
  {
    ...{
      database,
      now: Date.now,
      metrics: createMetrics("bench"),
      onFault,
      note: () => {},
      onWorkspaceRemoved: () => {},
    },
    ...{ authenticate: never, openWorkspace: never, followAccess: never },
    bus: await openBus({ now: Date.now, onFault }),
    settings: {
      ...{ home: ".", host: "127.0.0.1", mqttPort: Number(MQTT_PORT), mqttUrl: undefined, redisUrl: undefined },
      ...{
        baseUrl: "http://localhost",
        trustProxy: [],
        historyKeepDays: 1,
        projectsFolder: ".",
        recordingsMaxBytes: 0,
      },
    },
  },
  { wake: async () => true, idle: () => {} },
);
const link = await mqtt.open(workspace);
link.onMessage(() => {});
createServer((_request, response) => response.end(JSON.stringify({ key: made.key }))).listen(Number(PORT), "127.0.0.1");
