import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { freePort } from "../scripts/services/index.ts";
import { sensorPanels } from "./instruments/sensors.suite.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { openPage, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) });
  seen = await openPage(browser, workspaces, "start");
});
after(async () => {
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

sensorPanels(() => ({ workspaces, seen }));
