// From an empty folder to a panel that somebody else uses: new, edit, dev, pack, publish, add in another account, allow, use,
// update. On one instance, and on two that share a database, a bus and their archives.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import type { PanelPackages } from "@backplane/contract/panels";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { freePort, startMosquitto } from "../scripts/services/index.ts";
import { startS3 } from "./cluster/s3.ts";
import { slotOf } from "./panels/bench.ts";
import { CLI, Program, plainEnvironment } from "./support/backplane.ts";
import { openBrowser, visit } from "./support/browser.ts";
import { makePerson, type Person, signedInWindow } from "./support/person.ts";
import { keepPicture } from "./support/pictures.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { connected, driverOf, startWorkspaces, WORKSPACE_ENGINES, type Workspaces } from "./support/workspaces.ts";

const IDENTIFIER = "com.example.gauge";
const WIDE = { viewport: { width: 1100, height: 800 } };

for (const engine of WORKSPACE_ENGINES) {
  suite(engine, { concurrency: 1 }, () => {
    test("a panel is written, tried, published, added, allowed, used and updated", async () => {
      await using stack = new AsyncDisposableStack();
      const browser = await openBrowser();
      stack.defer(() => browser.close());
      const folder = await mkdtemp(join(tmpdir(), "backplane-panels-"));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      const isOne = engine === "one instance, embedded";
      const shared = isOne
        ? { MQTT_PORT: String(await freePort()) }
        : { MQTT_URL: stack.use(await startMosquitto()).url, ...stack.use(await startS3()).env };
      const workspaces = stack.use(await startWorkspaces(engine, shared));
      await story(stack, { browser, workspaces, folder });
    });
  });
}

type Bench = { browser: Browser; workspaces: Workspaces; folder: string };

async function story(stack: AsyncDisposableStack, { browser, workspaces, folder }: Bench): Promise<void> {
  const { pages, owner } = workspaces;
  const author = await keyOf(owner, pages, ["read", "panels", "publish", "devices:read", "devices:control"]);
  const env = { ...plainEnvironment(), BASE_URL: pages, BACKPLANE_TOKEN: author };
  const run = async (...args: string[]): Promise<string> => {
    await using program = new Program(process.execPath, [CLI, ...args], { cwd: folder, env });
    assert.equal(await program.ended(), 0, `${args.join(" ")}:\n${program.output}`);
    return program.output;
  };

  // A new panel has no fault and no warning.
  assert.doesNotMatch(await run("panel", "new", "gauge"), /warn|▲/);
  const named = ["--workspace", `${OWNER.name}/bench`];
  await simulateFor(owner, pages, `${OWNER.name}/bench`);

  // dev: it is shown once a person has allowed it, and again after every change.
  await owner.call(pages, `/api/workspaces/editor/${OWNER.name}/bench/current`);
  const dev = new Program(process.execPath, [CLI, "panel", "dev", "gauge", ...named], { cwd: folder, env });
  stack.use(dev);
  await dev.prints(/Watching gauge/);
  const driver = driverOf(workspaces, pages, "bench");
  const draft = await onlyTab(driver);
  const own = await openWorkspace(stack, browser, workspaces, owner, `${OWNER.name}/bench`);
  const mine = slotOf(own, draft);
  await mine.getByRole("heading", { name: /^Let Gauge into/ }).waitFor();
  assert.match(await mine.locator(".package-wants").innerText(), /temperature/);
  assert.equal(await mine.locator("iframe").count(), 0, "nothing runs before somebody has allowed it");
  await keepPicture(own, ".package-panel", "package-consent");
  await mine.getByRole("button", { name: "Add panel" }).click();
  await until(async () => /\d+\.\d/.test(await output(mine).innerText()), "a temperature in the draft");

  const entry = join(folder, "gauge/plugins/panel/index.js");
  const source = await readFile(entry, "utf8");
  await writeFile(entry, source.replace(".toFixed(1)", ".toFixed(3)"));
  await until(async () => /\d+\.\d{3}/.test(await output(mine).innerText()), "the changed draft");
  await keepPicture(own, ".package-panel", "package-draft");

  // A fault is said where it was made, and does not end dev.
  const manifest = join(folder, "gauge/plugins/panel/panel.json");
  const text = await readFile(manifest, "utf8");
  await writeFile(manifest, text.replace('"index.js"', '"gone.js"'));
  await dev.prints(/\/entry names gone.js/);
  await writeFile(manifest, text);
  assert.equal(await dev.stop("SIGINT"), 0, dev.output);
  await mine.getByText("This draft is not there any more").waitFor();

  // pack and publish.
  assert.match(await run("panel", "pack", "gauge"), /sha256 [a-f0-9]{64}/);
  const published = await run("panel", "publish", "gauge");
  assert.match(published, /Gauge 1.0.0 is published/);
  assert.doesNotMatch(published, /KiCad|pkg install/);

  // Somebody else finds it, is asked, and uses it.
  const mara = await makePerson(owner, pages, "mara");
  const person = await mara.signIn();
  const theirs = await openWorkspace(stack, browser, workspaces, person, "mara/rover");
  await simulateFor(person, pages, "mara/rover");
  await theirs.getByRole("button", { name: "Add panel" }).first().click();
  await theirs.getByRole("button", { name: /^Get more/ }).click();
  const offered = theirs.getByRole("option", { name: /Gauge/ });
  assert.match(await offered.innerText(), new RegExp(OWNER.name));
  await keepPicture(theirs, "dialog.catalog", "package-get-more");
  await offered.dblclick();
  const slot = theirs.locator(".slot[data-shown=true]");
  await slot.getByRole("heading", { name: "Let Gauge into mara/rover?" }).waitFor();
  await slot.getByLabel("Every device that fits, also later ones").uncheck();
  const listed = await slot.locator(".package-devices li").allInnerTexts();
  await keepPicture(theirs, ".package-panel", "package-devices", 740);
  assert.match(await slot.locator(".package-consent").innerText(), new RegExp(`By ${OWNER.name}`));
  await slot.getByRole("button", { name: "Add panel" }).click();
  await until(async () => /\d+\.\d{3}/.test(await output(slot).innerText()), "a temperature for somebody else");
  assert.match(await slot.locator(".package-foot").innerText(), /Controls nothing/);

  const pins = await packagesOf(person, pages, "mara/rover");
  assert.deepEqual(
    pins.panels.map(({ identifier, version, allowedBy, owner: by }) => [identifier, version, allowedBy, by]),
    [[IDENTIFIER, "1.0.0", "mara", OWNER.name]],
  );
  assert.deepEqual(
    [listed.length, pins.panels[0]?.devices?.ids.length, pins.panels[0]?.devices?.chosenBy],
    [1, 1, "mara"],
  );

  // An update that wants more asks again; the old version runs on.
  await raise(folder, "1.1.0", { read: ["temperature"], files: ["read:data/**"] });
  await run("panel", "publish", "gauge");
  await theirs.reload();
  await connected(theirs);
  await slot.getByRole("button", { name: "Update to 1.1.0" }).click();
  await slot.getByRole("heading", { name: "Gauge 1.1.0 wants more" }).waitFor();
  assert.equal(await slot.locator(".package-wants .new").count(), 1);
  await slot.getByRole("button", { name: "Keep 1.0.0" }).click();
  assert.equal((await packagesOf(person, pages, "mara/rover")).panels[0]?.version, "1.0.0");
  await until(async () => /\d+\.\d{3}/.test(await output(slot).innerText()), "the old version runs on");
  await slot.getByRole("button", { name: "Update to 1.1.0" }).click();
  await slot.getByRole("button", { name: "Allow 1.1.0" }).click();
  await until(
    async () => (await packagesOf(person, pages, "mara/rover")).panels[0]?.version === "1.1.0",
    "the version that was allowed",
  );
  await until(async () => /\d+\.\d{3}/.test(await output(slot).innerText()), "a temperature of the new version");
}

async function keyOf(person: Person, pages: string, scopes: string[]): Promise<string> {
  const made = await person.call(pages, "/auth/api-keys", { method: "POST", body: { name: "panels", scopes } });
  return ((await made.json()) as { key: string }).key;
}

async function simulateFor(person: Person, pages: string, name: string): Promise<void> {
  const path = `/api/workspaces/editor/${name}/current/devices/simulators`;
  const answer = await person.call(pages, path, { method: "POST", body: { kind: "temperature" } });
  assert.equal(answer.status, 201, await answer.text());
}

async function openWorkspace(
  stack: AsyncDisposableStack,
  browser: Browser,
  { pages }: Workspaces,
  person: Person,
  name: string,
): Promise<Page> {
  await person.call(pages, `/api/workspaces/editor/${name}/current`);
  const seen = stack.use(await visit(browser, { ...signedInWindow(person), ...WIDE }));
  await seen.page.goto(`${pages}/w/${name}`);
  await connected(seen.page);
  return seen.page;
}

const innerFrame = (slot: Locator): FrameLocator => slot.frameLocator("iframe").frameLocator("iframe");
const output = (slot: Locator): Locator => innerFrame(slot).locator("output");

async function onlyTab(driver: ReturnType<typeof driverOf>): Promise<string> {
  const [tab] = await driver.tabs();
  assert.ok(tab);
  return tab.tabId;
}

async function packagesOf(person: Person, pages: string, name: string): Promise<PanelPackages> {
  return (await (await person.call(pages, `/api/workspaces/editor/${name}/current/packages`)).json()) as PanelPackages;
}

async function raise(folder: string, version: string, wants: object): Promise<void> {
  const [metadata, manifest] = ["metadata.json", "plugins/panel/panel.json"].map((file) => join(folder, "gauge", file));
  assert.ok(metadata && manifest);
  await writeFile(metadata, (await readFile(metadata, "utf8")).replace('"1.0.0"', `"${version}"`));
  const panel = JSON.parse(await readFile(manifest, "utf8")) as { wants: object };
  await writeFile(manifest, JSON.stringify({ ...panel, wants }));
}
