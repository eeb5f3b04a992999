// `npm run test:soak`: panels of moving devices in one page, for an hour. Neither the page nor the platform may need more than
// 1.2 × of the memory that it needed after five minutes, and at most one frame per minute may be late. `-- --minutes 15` is a
// quick run, `-- --panels all` has every panel that shows a device instead of ten.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../../scripts/bootstrap.mjs";
import { freePort } from "../../scripts/services/index.ts";
import { openBrowser } from "../support/browser.ts";
import { openPage, startWorkspaces } from "../support/workspaces.ts";
import { watchFrames } from "./frames.ts";
import { openMemoryProbe } from "./memory.ts";
import { createTable, SHORTEST_RUN } from "./table.ts";
import { assertLive, BENCHES, type Bench, driveMotor, openPanels, REPO } from "./workbench.ts";

const MINUTE_MS = 60_000;
/** Of every minute, frames are watched for this long. */
const WATCHED_MS = 45_000;
const VIEWPORT = { width: 1_600, height: 1_000 };

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, panels: { type: "string", default: "ten" } },
});

async function main(bench: Bench, minutes: number): Promise<boolean> {
  await ensureBuilt();
  const env = { MQTT_PORT: String(await freePort()), NODE_OPTIONS: "--inspect=127.0.0.1:0" };
  await using workspaces = await startWorkspaces("one instance, embedded", env);
  const [platform] = workspaces.instances;
  const inspector = /ws:\/\/\S+/.exec(platform?.output() ?? "")?.[0];
  if (!platform || inspector === undefined) throw new Error("The platform does not say where its inspector is.");
  await using browser = await openBrowser();
  await using _devices = await bench.start(workspaces);
  await using seen = await openPage(browser, workspaces, REPO, { viewport: VIEWPORT });
  await openPanels(bench, workspaces, seen.page);
  const session = await seen.page.context().newCDPSession(seen.page);
  await using probe = await openMemoryProbe(browser, session, { pid: platform.pid, inspector });

  const table = createTable(console.log);
  const startedMs = Date.now();
  let driven = 0;
  for (let minute = 0; minute <= minutes; ) {
    const memory = await probe.measure();
    driven += (await driveMotor(bench, workspaces)) ? 1 : 0;
    await assertLive(bench, seen.page);
    table.add(minute, memory, await watchFrames(seen.page, session, WATCHED_MS));
    if (seen.complaints.length > 0) throw new Error(`The page complains: ${seen.complaints.join("\n")}`);
    const passedMs = Date.now() - startedMs;
    minute = Math.floor(passedMs / MINUTE_MS) + 1;
    await sleep(minute * MINUTE_MS - passedMs);
  }
  console.log(`The motor was driven ${driven} times.`);
  return table.conclude() && driven > 0;
}

const minutes = Number(values.minutes);
const bench = BENCHES[values.panels];
if (!bench) {
  console.error(`--panels ${values.panels}: one of ${Object.keys(BENCHES).join(", ")}. Default ten.`);
  process.exitCode = 2;
} else if (Number.isSafeInteger(minutes) && minutes >= SHORTEST_RUN) {
  process.exitCode = (await main(bench, minutes)) ? 0 : 1;
} else {
  console.error(`--minutes ${values.minutes}: how long it takes, at least ${SHORTEST_RUN}. Default 60.`);
  process.exitCode = 2;
}
