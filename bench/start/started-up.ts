import { fileURLToPath } from "node:url";
import { freePort } from "../../scripts/services/index.ts";
import { type RunningServer, type ServerOptions, startServer } from "../harness/server.ts";

const BACKPLANE = fileURLToPath(new URL("../../backplane", import.meta.url));

/** `backplane up` of this clone in an empty folder, until it says that everything runs. */
export async function startUp(): Promise<RunningServer> {
  const [gateway, watchdog, viewer] = await Promise.all([freePort(), freePort(), freePort()]);
  const options: ServerOptions = {
    label: "backplane up",
    command: BACKPLANE,
    args: () => ["up"],
    env: (port) => ({
      ...{ PLATFORM_PORT: String(port), GATEWAY_PORT: String(gateway), WATCHDOG_PORT: String(watchdog) },
      ...{ VIEWER_PORT: String(viewer), BACKPLANE_HOME: "home", HOME: ".", VIEWER_PROJECT: "" },
      ...{ BASE_URL: "", GATEWAY_URL: "", VIEWER_URL: "", DATABASE_URL: "", REDIS_URL: "", HOST: "", LOG_LEVEL: "" },
    }),
    readyLine: /Ctrl-C/,
  };
  return startServer(options);
}
