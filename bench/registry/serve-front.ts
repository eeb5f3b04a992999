// The registry behind nginx with the configuration that we ship, as hosted: nginx listens on PORT and sends lists from INDEXES_FOLDER.
import { fork } from "node:child_process";
import { join } from "node:path";
import { startFront } from "../../e2e/cluster/nginx.ts";
import { freePort } from "../../scripts/services/index.ts";

const [gatewayPort, registryPort] = await Promise.all([freePort(), freePort()]);
const front = await startFront({
  ...{ port: Number(process.env.PORT), gatewayPort },
  ...{ platforms: [registryPort], gateways: [gatewayPort] },
});
const registry = fork(new URL("./serve-app.ts", import.meta.url), {
  env: { ...process.env, PORT: String(registryPort), INDEXES_FOLDER: join(front.folder, "indexes") },
});
process.once("SIGTERM", async () => {
  registry.kill();
  await front[Symbol.asyncDispose]();
  process.exit();
});
