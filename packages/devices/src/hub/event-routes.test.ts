import assert from "node:assert/strict";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { until } from "../../../../scripts/testing/until.ts";
import { createModel } from "../model/model.ts";
import type { Hub } from "../services.ts";
import { createClock, thermometer } from "../testing/devices.ts";
import { serveDeviceEvents } from "./event-routes.ts";
import { createHub } from "./hub.ts";
import { heldView } from "./view.ts";

const GET = "GET /api/workspaces/editor/ada/demo/current/devices/events HTTP/1.1\r\nhost: localhost\r\n\r\n";

test("a program that leaves while its stream is opened leaves no subscription behind", async (t) => {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const { now } = createClock();
  const model = createModel({ now, onFault });
  model.declare("homie", thermometer());
  const quiet = { onStopped: () => () => {}, onChange: () => () => {}, stopped: () => null, current: () => null };
  const parts = { control: quiet, recorder: quiet, sources: quiet } as never as Hub;
  const hub = createHub({ ...parts, view: heldView(model), now, onFault });
  t.after(hub.close);

  const log = createLog({ process: "test", level: "silent" as never, destination: { write: () => {} } });
  const readiness = { checks: {}, isDraining: () => false };
  const metrics = createMetrics("test");
  const app = await createApp({
    log,
    metrics,
    now,
    readiness,
    onlyDeclaredProblems: true,
    trustProxy: [],
    overHttps: false,
  });
  const opening = Promise.withResolvers<void>();
  let asked = 0;
  let ended = 0;
  const routes = {
    openWorkspace: async () => ({ workspace: { id: "w" }, access: { userId: "ada" } }),
    openHub: async () => hub,
    async followAccess() {
      asked += 1;
      await opening.promise;
      return () => {
        ended += 1;
      };
    },
    onFault,
  };
  serveDeviceEvents(app, routes as never);
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());

  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  socket.write(GET);
  await until("access is looked up", () => asked === 1);
  socket.destroy();
  const connections = promisify(app.server.getConnections.bind(app.server));
  await until("the server knows that it left", async () => (await connections()) === 0);
  opening.resolve();
  await until("its access is not followed anymore", () => ended === 1);
  assert.ok(!hub.isUsed(), "nothing follows the devices anymore");
  assert.deepEqual(faults, []);
});
