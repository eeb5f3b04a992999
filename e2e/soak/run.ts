// `npm run test:soak`: ten panels of moving devices in one page, for an hour. Neither the page nor the platform may need more
// than 1.2 × of the memory that it needed after five minutes. `-- --minutes 15` is a quick run.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../../scripts/bootstrap.mjs";
import { freePort } from "../../scripts/services/index.ts";
import { openBrowser } from "../support/browser.ts";
import { openPage, startWorkspaces } from "../support/workspaces.ts";
import { openMemoryProbe } from "./memory.ts";
import { createTable, SHORTEST_RUN } from "./table.ts";
import { assertLive, driveMotor, openPanels, REPO, startDevices } from "./workbench.ts";

const MINUTE_MS = 60_000;
const VIEWPORT = { width: 1_600, height: 1_000 };

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } });

async function main(minutes: number): Promise<boolean> {
  await ensureBuilt();
  const env = { MQTT_PORT: String(await freePort()), NODE_OPTIONS: "--inspect=127.0.0.1:0" };
  await using workspaces = await startWorkspaces("one instance, embedded", env);
  const [platform] = workspaces.instances;
  const inspector = /ws:\/\/\S+/.exec(platform?.output() ?? "")?.[0];
  if (!platform || inspector === undefined) throw new Error("The platform does not say where its inspector is.");
  await using browser = await openBrowser();
  await using _devices = await startDevices(workspaces);
  await using seen = await openPage(browser, workspaces, REPO, { viewport: VIEWPORT });
  await openPanels(workspaces, seen.page);
  const session = await seen.page.context().newCDPSession(seen.page);
  await using probe = await openMemoryProbe(browser, session, { pid: platform.pid, inspector });

  const table = createTable(console.log);
  const startedMs = Date.now();
  let driven = 0;
  for (let minute = 0; minute <= minutes; ) {
    table.add(minute, await probe.measure());
    driven += (await driveMotor(workspaces)) ? 1 : 0;
    await assertLive(seen.page);
    if (seen.complaints.length > 0) throw new Error(`The page complains: ${seen.complaints.join("\n")}`);
    const passedMs = Date.now() - startedMs;
    minute = Math.floor(passedMs / MINUTE_MS) + 1;
    await sleep(minute * MINUTE_MS - passedMs);
  }
  console.log(`The motor was driven ${driven} times.`);
  return table.conclude() && driven > 0;
}

const minutes = Number(values.minutes);
if (Number.isSafeInteger(minutes) && minutes >= SHORTEST_RUN) {
  process.exitCode = (await main(minutes)) ? 0 : 1;
} else {
  console.error(`--minutes ${values.minutes}: how long it takes, at least ${SHORTEST_RUN}. Default 60.`);
  process.exitCode = 2;
}
