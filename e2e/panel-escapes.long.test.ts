// A hostile panel from a package: whatever it tries, it gets nothing but what a person has allowed. Beside each attempt is one
// that must work, so that a test which tries nothing fails.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Devices } from "@backplane/contract/devices";
import type { PanelFrame, PanelPackages } from "@backplane/contract/panels";
import { panelModule } from "@backplane/sdk/panel";
import type { Browser, Frame, Locator, Page } from "playwright-core";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { freePort } from "../scripts/services/index.ts";
import { slotOf } from "./panels/bench.ts";
import type { Program } from "./support/backplane.ts";
import { openWholeBrowser, type Visit, visit } from "./support/browser.ts";
import {
  ASKING_PEOPLE,
  type Attempt,
  attemptCode,
  type Listener,
  navigationAttempts,
  networkAttempts,
  REACHING_OUT,
  STORING,
  startListener,
  webRtcAttempt,
} from "./support/hostile-panels.ts";
import { allowPanel, frameOf, offeredPanel, packagesPath, publishArchive } from "./support/panel-packages.ts";
import { signedInWindow } from "./support/person.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { startSimulateAll } from "./support/simulate-all.ts";
import { assertUndisturbed, noteDisturbances } from "./support/undisturbed.ts";
import { connected, type Driver, driverOf, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const REPO = "hostile";
const NAME = `${OWNER.name}/${REPO}`;

let browser: Browser;
let workspaces: Workspaces;
let listener: Listener;
let driver: Driver;
let seen: Visit;
let page: Page;
let simulators: Program;
/** Wants nothing; reads temperature and writes to notes/; controls the motor; runs code of programs. */
const PANELS = {
  "com.example.nothing": {},
  "com.example.reader": { read: ["temperature"], files: ["read:data/**", "write:notes/*.txt"] },
  "com.example.driver": { read: ["temperature"], control: ["motor"] },
  "com.example.runs": { read: ["temperature"], files: ["read:data/**"], eval: true },
} as const;
type Identifier = keyof typeof PANELS;
const tabs = {} as Record<Identifier, string>;
/** Dialogs, downloads and windows that somebody at the page would notice. */
let disturbances: string[] = [];

before(async () => {
  // With a process per frame, as people have it.
  browser = await openWholeBrowser();
  listener = await startListener();
  workspaces = await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) });
  const { pages, owner } = workspaces;
  driver = driverOf(workspaces, pages, REPO);
  await driver.layout();
  for (const identifier of Object.keys(PANELS) as Identifier[]) {
    await publish(identifier, "1.0.0", PANELS[identifier]);
    await allow(identifier);
  }
  simulators = await startSimulateAll(workspaces, REPO);
  await saveFile("data/one.txt", "for the panel");
  await saveFile("secret.txt", "not for the panel");
  seen = await visit(browser, { ...signedInWindow(owner), viewport: { width: 1200, height: 900 } });
  page = seen.page;
  await page.goto(`${pages}/workspaces`);
  await page.goto(`${pages}/w/${NAME}`);
  await connected(page);
  disturbances = noteDisturbances(page);
  const first = await driver.open("package", { initialState: { package: "com.example.nothing" } });
  tabs["com.example.nothing"] = first.tabId;
  for (const identifier of ["com.example.reader", "com.example.driver", "com.example.runs"] as const) {
    const split = await driver.split(first.panelId, "package", { initialState: { package: identifier } });
    tabs[identifier] = split.tabId;
  }
  for (const identifier of Object.keys(PANELS) as Identifier[]) await ready(identifier);
});
after(async () => {
  for (const each of [seen, simulators, listener]) await each?.[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

const INDEX = `import { connectPanel } from "./backplane-panel.js";
globalThis.panel = await connectPanel();
globalThis.port = await globalThis.backplanePort;
document.body.textContent = "ready";
globalThis.heard = [];
panel.onState(({ grab }) => {
  if (!grab) return;
  const bait = document.body.appendChild(Object.assign(document.createElement("input"), { id: "bait" }));
  setInterval(() => bait.focus(), 10);
});
globalThis.port.addEventListener("message", ({ data }) => globalThis.heard.push(data));
`;

async function publish(identifier: string, version: string, wants: object): Promise<void> {
  const archive = sampleArchive({
    ...{ identifier, version },
    files: {
      "plugins/panel/panel.json": JSON.stringify({
        sdk: "1",
        name: "hostile",
        title: identifier,
        entry: "index.js",
        wants,
      }),
      "plugins/panel/index.js": INDEX,
      "plugins/panel/backplane-panel.js": panelModule(),
    },
  });
  await publishArchive(workspaces, archive);
}

const allow = (identifier: string): Promise<void> => allowPanel(workspaces, NAME, identifier);
const offered = (identifier: string) => offeredPanel(workspaces, NAME, identifier);

async function saveFile(path: string, text: string): Promise<void> {
  const answer = await fetch(`${workspaces.pages}${driver.current}/files/${path}`, {
    method: "PUT",
    headers: { "x-api-key": workspaces.apiKey, "if-none-match": "*", "content-type": "application/octet-stream" },
    body: text,
  });
  assert.equal(answer.status, 201, await answer.text());
}

const slot = (identifier: Identifier): Locator => slotOf(page, tabs[identifier]);

/** The document in which the code of the package runs. */
async function ready(identifier: Identifier): Promise<Frame> {
  await slot(identifier).frameLocator("iframe").frameLocator("iframe").getByText("ready").waitFor();
  return frameOf(slot(identifier));
}

const nothing = (): Promise<Frame> => ready("com.example.nothing");

async function tryAll(attempts: readonly Attempt[]): Promise<void> {
  assert.ok(attempts.length > 0);
  const frame = await nothing();
  assert.equal(await frame.evaluate(attemptCode("6 * 7")), "42", "attempts run");
  for (const [what, code, outcome] of attempts) {
    assert.match(String(await frame.evaluate(attemptCode(code))), outcome, what);
  }
  await untouched(attempts.map(([what]) => what).join());
}

/** The page has its address and cookie, is connected and undisturbed, and nothing reached the outside. */
async function untouched(what: string): Promise<void> {
  await assertUndisturbed(page, workspaces, { address: `${workspaces.pages}/w/${NAME}`, disturbances, what });
  assert.deepEqual(listener.heard, [], what);
}

async function reset(identifier: Identifier): Promise<void> {
  await slot(identifier)
    .getByRole("button", { name: /^Reset/ })
    .first()
    .click();
  await until(async () => (await slot(identifier).locator("iframe").count()) === 1, "a new frame");
  await ready(identifier);
}

const named = (...words: string[]): Attempt[] =>
  networkAttempts(listener.url).filter(([what]) => words.some((word) => what.includes(word)));

/** What a call of the panel's own library answers, or why it is refused. */
const call = async (identifier: Identifier, code: string): Promise<string> =>
  String(
    await (await ready(identifier)).evaluate(
      `(async () => { try { return JSON.stringify(await (${code})) } catch (error) { return "refused: " + error.message } })()`,
    ),
  );

/** What the page answers to a message that the library did not write. */
const rawCall = async (identifier: Identifier, name: string, args: string): Promise<string> =>
  (await ready(identifier)).evaluate<string>(`(async () => {
    const answered = new Promise((done) => port.addEventListener("message", ({ data }) => data.includes('"id":9001') && done(data)));
    port.postMessage(JSON.stringify({ type: "call", id: 9001, name: "${name}", args: ${args} }));
    return answered;
  })()`);

/** What code of a program ended with, in the panel that runs it. */
async function evaluated(code: string): Promise<string> {
  const ran = await driver.eval(tabs["com.example.runs"], code);
  return ran.status === "executed" ? String(ran.result) : JSON.stringify(ran);
}

suite("a hostile panel", { concurrency: 1 }, () => {
  test("0: the listener hears what an ordinary page sends", async () => {
    const plain = await browser.newPage();
    await plain.goto(`${listener.url}/plain`);
    await plain.evaluate(`fetch("${listener.url}/control")`);
    await plain.close();
    assert.ok(listener.heard.some((each) => each.includes("/control")));
    listener.heard.length = 0;
  });

  test("1: no request by fetch, XMLHttpRequest, beacon or events", () =>
    tryAll(named("fetch", "XMLHttpRequest", "beacon", "events", "keepalive")));
  test("2: no socket and no WebTransport", () => tryAll(named("a socket", "WebTransport")));
  test("3: no picture, film, font, script, module or style sheet from outside", () =>
    tryAll(
      named("a picture", "a film", "a font", "a script", "a module", "a style sheet", "CSS image", "object", "embed"),
    ));
  test("4: no prefetch, preload, preconnect, lookup or speculation", () =>
    tryAll(named("prefetch", "preload", "preconnect", "a lookup", "speculation")));
  test("5: no worker and no frame that reaches out", () => tryAll(named("worker", "a frame")));

  test("6: no WebRTC, also from a frame within", async () => {
    await tryAll(named("WebRTC"));
    const frame = await nothing();
    await frame.evaluate(`(async () => { ${webRtcAttempt(listener.packetPort)} })()`);
    await untouched("WebRTC");
  });

  test("7: no storage, cookie, cache, lock or service worker", () => tryAll(STORING));
  test("8: nothing of the page around it", () => tryAll(REACHING_OUT));

  test("9: the page is not navigated, and no window opens", () =>
    tryAll(named("a popup", "the whole page", "the frame around", "history", "closing the page")));
  test("10: nothing is downloaded, and no form is sent", () => tryAll(named("a download", "a form")));
  // What the driver of the browser runs counts as a click: then a question may be left open, which grants nothing.
  test("11: people are asked nothing", () =>
    tryAll(
      ASKING_PEOPLE.map(([what, code, outcome]) => [what, code, what === "to notify" ? /^(denied|default)$/ : outcome]),
    ));

  test("12: code that leaves its own page is stopped", async () => {
    for (const [what, code] of navigationAttempts(listener.url)) {
      const frame = await nothing();
      await frame.evaluate(`setTimeout(() => { ${code} }, 0)`).catch(() => {});
      await sleep(300);
      await untouched(what);
      // A navigation that the policy refuses leaves the panel as it was.
      await reset("com.example.nothing");
    }
  });

  test("13: no code from text", async () => {
    const frame = await nothing();
    await frame.evaluate(
      `document.body.append(Object.assign(document.createElement("script"), { textContent: "globalThis.inline = 1" }))`,
    );
    await frame.evaluate(
      `document.body.insertAdjacentHTML("beforeend", "<img src=x: onerror='globalThis.inline = 1'>")`,
    );
    await frame.evaluate(
      `document.body.append(Object.assign(document.createElement("script"), { type: "module", src: URL.createObjectURL(new Blob(["globalThis.inline = 1"], { type: "text/javascript" })) }))`,
    );
    await sleep(300);
    assert.equal(await frame.evaluate("globalThis.inline"), undefined);
  });

  test("14: an endless loop harms neither the page nor other panels, and a reset ends it", async () => {
    const frame = await nothing();
    await frame.evaluate("void setTimeout(() => { for (;;); }, 50)");
    await slot("com.example.nothing").getByText("does not answer").waitFor({ timeout: 30_000 });
    assert.equal(await call("com.example.reader", "panel.state()"), "{}", "another panel answers");
    assert.equal(await page.evaluate("1 + 1"), 2);
    await slot("com.example.nothing").getByRole("button", { name: "Reset panel" }).click();
    await ready("com.example.nothing");
  });

  test("15: a flood of messages over the port stops the panel, not the page", async () => {
    const frame = await nothing();
    await frame
      .evaluate(
        `for (let n = 0; n < 20_000; n += 1) port.postMessage('{"type":"call","id":1,"name":"log","args":["x"]}')`,
      )
      .catch(() => {});
    await slot("com.example.nothing").getByText("more messages than this page can take").waitFor();
    assert.equal(await page.evaluate("1 + 1"), 2);
    await reset("com.example.nothing");
  });

  test("16: messages that are too long, not text or not in the protocol are refused", async () => {
    const frame = await nothing();
    const before = await frame.evaluate<number>("heard.length");
    for (const message of [
      `JSON.stringify({ type: "call", id: 7001, name: "log", args: ["x".repeat(1_100_000)] })`,
      `({ type: "call", id: 7002, name: "log", args: [] })`,
      `"{"`,
      `JSON.stringify({ type: "call", id: 7003, name: "constructor", args: [] })`,
      `JSON.stringify({ type: "call", id: 7004, name: "__proto__", args: [] })`,
      `JSON.stringify({ type: "result", id: 1, value: "forged" })`,
    ]) {
      await frame.evaluate(`port.postMessage(${message})`);
    }
    await frame.evaluate(`panel.setTitle("Still here")`);
    const heard = (await frame.evaluate<string[]>("heard")).slice(before).filter((text) => text.includes("700"));
    assert.ok(heard.length >= 2 && heard.every((text) => JSON.parse(text).type === "refused"), heard.join());
    assert.ok(!heard.some((text) => text.includes("7001") || text.includes("7002")));
  });

  test("17: it cannot paint over the arm button, nor over anything outside its frame", async () => {
    const frame = await ready("com.example.driver");
    await call(
      "com.example.driver",
      `panel.devices.choose(panel.devices.list().find(({ capabilities }) => capabilities.some(({ kind }) => kind === "motor")).id)`,
    );
    await frame.evaluate(
      `document.body.append(Object.assign(document.createElement("div"), { id: "cover", style: "position:fixed;inset:-5000px;z-index:2147483647;background:red" }))`,
    );
    const panel = slot("com.example.driver");
    await panel.getByRole("button", { name: "Take control" }).click();
    const arm = panel.getByRole("button", { name: "Arm", exact: true });
    await arm.waitFor();
    const box = await arm.boundingBox();
    assert.ok(box);
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    assert.equal(
      await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest("button")?.textContent, at),
      "Arm",
    );
    await frame.evaluate("document.querySelector('#cover').remove()");
  });

  test("18: it cannot move a motor that somebody has armed, unless they hold the button outside", async () => {
    const panel = slot("com.example.driver");
    await panel
      .getByRole("button", { name: "Take control" })
      .or(panel.getByRole("button", { name: "Arm", exact: true }))
      .first()
      .waitFor();
    if (await panel.getByRole("button", { name: "Take control" }).isVisible())
      await panel.getByRole("button", { name: "Take control" }).click();
    await panel.getByRole("button", { name: "Arm", exact: true }).click();
    await panel.getByText("Armed").waitFor();
    const { device, capability, name, params } = await motorCommand();
    const target = JSON.stringify({ device, capability });
    const forged = `panel.devices.command(${target}, ${JSON.stringify(name)}, ${JSON.stringify(params)})`;
    assert.match(await call("com.example.driver", forged), /"code":"not-held"/);
    assert.equal((await motor()).isMoving, false);
    // Not through the other panels either: they may not control anything.
    for (const identifier of ["com.example.nothing", "com.example.reader"] as const) {
      assert.match(await call(identifier, forged), /^refused: /);
    }
    assert.match(await call("com.example.reader", `panel.devices.choose(${JSON.stringify(device)})`), /^refused: /);
    // Somebody holds the button: then it moves.
    const hold = JSON.stringify({ label: "Run", device, capability, name, params });
    assert.equal(await call("com.example.driver", `panel.devices.hold(${hold})`), "undefined");
    const button = panel.getByRole("button", { name: /Run/ });
    await button.hover();
    await page.mouse.down();
    await until(async () => (await motor()).isMoving, "it moves while the button is held");
    await page.mouse.up();
    await until(async () => !(await motor()).isMoving, "it stops when the button is released");
  });

  test("19: it sees only devices, values and files that it was allowed", async () => {
    assert.equal(await call("com.example.nothing", "panel.devices.list()"), "[]");
    const kinds = await call(
      "com.example.reader",
      "panel.devices.list().flatMap(({ capabilities }) => capabilities.map(({ kind }) => kind))",
    );
    assert.deepEqual([...new Set(JSON.parse(kinds) as string[])], ["temperature"]);
    const { device, capability } = await motorCommand();
    const got = await rawCall("com.example.reader", "subscribe", `[9001, ${JSON.stringify({ device, capability })}]`);
    assert.equal(JSON.parse(got).type, "refused");
    assert.equal(await call("com.example.reader", `panel.files.read("data/one.txt")`), '"for the panel"');
    assert.equal(await call("com.example.reader", "panel.files.list()"), '["data/one.txt"]');
    for (const path of [
      "secret.txt",
      "data/../secret.txt",
      "./secret.txt",
      "data",
      "/data/one.txt",
      "data//../secret.txt",
    ]) {
      assert.match(await call("com.example.reader", `panel.files.read(${JSON.stringify(path)})`), /^refused: /, path);
    }
    assert.match(await call("com.example.reader", `panel.files.write("data/one.txt", "x")`), /^refused: /);
    assert.equal(await call("com.example.reader", `panel.files.write("notes/mine.txt", "x")`), "undefined");
    assert.match(await call("com.example.nothing", `panel.files.list()`), /^\[\]$/);
  });

  test("20: it cannot change which package its tab shows, nor another tab", async () => {
    await call(
      "com.example.nothing",
      `panel.setState({ package: "com.example.driver", draft: true, generation: 99, mine: 1 })`,
    );
    const all = await driver.tabs();
    const own = all.find(({ tabId }) => tabId === tabs["com.example.nothing"]);
    assert.equal(own?.panelState.package, "com.example.nothing");
    assert.deepEqual((own?.panelState.own as { mine?: number } | undefined)?.mine, 1);
    assert.equal(all.find(({ tabId }) => tabId === tabs["com.example.reader"])?.panelState.own, undefined);
  });

  test("21: another version's consent, another host's address and a program's consent count for nothing", async () => {
    const { pages, owner } = workspaces;
    const { sha256, panel } = await offered("com.example.driver");
    const put = (body: object) => owner.call(pages, packagesPath(NAME, "/com.example.driver"), { method: "PUT", body });
    assert.equal(
      (await put({ version: "1.0.0", sha256, wants: (await offered("com.example.nothing")).panel.wants })).status,
      409,
    );
    assert.equal((await put({ version: "1.0.1", sha256, wants: panel.wants })).status, 404);
    const removed = await driver.call("DELETE", packagesPath(NAME, "/com.example.driver"));
    assert.equal(removed.status, 204);
    const program = await driver.call("PUT", packagesPath(NAME, "/com.example.driver"), {
      version: "1.0.0",
      sha256,
      wants: panel.wants,
    });
    assert.deepEqual([program.status, program.body.code], [409, "consent-needed"]);
    const frame = await driver.call("POST", packagesPath(NAME, "/com.example.driver/frame"), {
      tabId: "t",
      generation: 0,
      window: "a",
    });
    assert.deepEqual([frame.status, frame.body.code], [409, "consent-needed"]);
    await allow("com.example.driver");
    const [one, other] = await Promise.all(
      ["com.example.reader", "com.example.nothing"].map(
        async (identifier) =>
          (
            await driver.call("POST", packagesPath(NAME, `/${identifier}/frame`), {
              tabId: "t",
              generation: 0,
              window: "a",
            })
          ).body as unknown as PanelFrame,
      ),
    );
    assert.ok(one && other);
    assert.notEqual(new URL(one.address).host, new URL(other.address).host);
    const file = `${new URL(one.address).pathname}files/index.js`;
    assert.equal(await statusAt(new URL(one.address).host, file), 200);
    assert.equal(await statusAt(new URL(other.address).host, file), 404);
  });

  test("22: it saves nothing by itself, and never what a computer would run", async () => {
    await page.getByRole("button", { name: "Add panel" }).first().focus();
    const save = (name: string) => call("com.example.nothing", `panel.save(${JSON.stringify(name)}, "x")`);
    assert.match(await save("values.csv"), /^refused: .*right after somebody has pressed/);
    for (const name of ["run.exe", "page.html", "a.csv.exe", "../a.csv", ".csv", "a\n.csv", "x".repeat(200)])
      assert.match(await save(name), /^refused: /, name);
    await untouched("saving");
  });

  test("23: a device that nobody chose for it is not seen, by any call", async () => {
    const ids = async () => JSON.parse(await call("com.example.driver", "panel.devices.list().map(({ id }) => id)"));
    const all = (await ids()) as string[];
    const { device, capability, name, params } = await motorCommand();
    assert.ok(all.length > 1 && all.includes(device), all.join());
    const panel = slot("com.example.driver");
    await panel.getByRole("button", { name: "What it may do" }).click();
    await panel.getByLabel("Every device that fits, also later ones").uncheck();
    await panel.getByLabel((await motor()).name, { exact: true }).uncheck();
    await panel.getByRole("button", { name: "Save and load the panel again" }).click();
    await panel.getByText(`Devices chosen by ${OWNER.name}`).waitFor();
    const others = all.filter((id) => id !== device);
    await until(async () => JSON.stringify(await ids()) === JSON.stringify(others), "the panel sees the others only");
    const target = JSON.stringify({ device, capability });
    const hold = JSON.stringify({ label: "Run", device, capability, name, params });
    for (const code of [
      `panel.devices.command(${target}, ${JSON.stringify(name)}, ${JSON.stringify(params)})`,
      `panel.devices.history(${target}, { fromMs: 0 })`,
      `panel.devices.choose(${JSON.stringify(device)})`,
      `panel.devices.hold(${hold})`,
    ])
      assert.match(await call("com.example.driver", code), /^refused: There is no such/, code);
    assert.equal(JSON.parse(await rawCall("com.example.driver", "subscribe", `[9002, ${target}]`)).type, "refused");
    const [other] = others;
    assert.equal(await panel.getByLabel(String((await motor()).name), { exact: true }).isChecked(), false);
    const kept = await workspaces.owner.call(workspaces.pages, packagesPath(NAME));
    const pin = ((await kept.json()) as PanelPackages).panels.find(
      ({ identifier }) => identifier === "com.example.driver",
    );
    assert.deepEqual([pin?.devices?.ids.includes(String(other)), pin?.devices?.chosenBy], [true, OWNER.name]);
    // A program cannot give it back.
    const program = await driver.call("PUT", packagesPath(NAME, "/com.example.driver/devices"), { devices: null });
    assert.equal(program.status, 403);
  });

  test("24: a picture that it draws of itself is a PNG, or none", async () => {
    const frame = await ready("com.example.reader");
    const shot = async (draw: string) => {
      await frame.evaluate(`panel.onScreenshot(${draw})`);
      return driver.screenshot({ tabId: tabs["com.example.reader"], method: "html2canvas" });
    };
    const nothingDrawn = await driver.screenshot({ tabId: tabs["com.example.nothing"], method: "html2canvas" });
    assert.ok(nothingDrawn.status >= 400, "it did not say that it draws");
    const drawn = await shot(
      `() => Object.assign(document.createElement("canvas"), { width: 40, height: 30 }).toDataURL()`,
    );
    assert.equal(drawn.status, 200, JSON.stringify(drawn.body));
    for (const hostile of [
      `() => "data:image/png;base64," + btoa("<svg onload=alert(1)>")`,
      `() => "data:image/svg+xml,<svg/>"`,
      `() => "${listener.url}/picture.png"`,
      `() => ({})`,
    ])
      assert.ok((await shot(hostile)).status >= 400, hostile);
    await untouched("pictures");
  });

  test("25: programs run code only in a panel that asks for it", async () => {
    const tabId = tabs["com.example.runs"];
    await ready("com.example.runs");
    const ran = await driver.eval(tabId, "console.log('printed'); const kept = 1; panel.tabId");
    assert.ok(ran.status === "executed", JSON.stringify(ran));
    assert.deepEqual([ran.result, ran.logs], [tabId, [{ level: "log", text: "printed" }]]);
    assert.deepEqual(await evaluated("kept + 1"), "2");
    for (const identifier of ["com.example.nothing", "com.example.reader"] as const) {
      const path = `/api/panels/sandbox/${NAME}`;
      const refused = await driver.call("PATCH", path, { panelId: tabs[identifier], action: "eval", code: "1" });
      assert.deepEqual([refused.status, refused.body.code], [409, "runs-no-code"]);
    }
    // Not even by its own code: in a later turn, because the driver of the browser may run anything.
    const later = (code: string) =>
      `new Promise((done) => setTimeout(() => { try { done(${code}) } catch (error) { done(error.name) } }))`;
    const [own, other] = [await ready("com.example.runs"), await nothing()];
    assert.equal(await own.evaluate(later(`new Function("return 7")()`)), 7);
    assert.equal(await other.evaluate(later(`new Function("return 7")()`)), "EvalError");
    assert.equal(await other.evaluate(later(`(0, eval)("7")`)), "EvalError");
  });

  test("26: code of programs gets no further than the panel that runs it", async () => {
    const { device, capability, name, params } = await motorCommand();
    const target = JSON.stringify({ device, capability });
    const attempts: Attempt[] = [
      ...named(
        "fetch",
        "XMLHttpRequest",
        "beacon",
        "a socket",
        "a picture",
        "a script",
        "a module",
        "worker",
        "a frame",
      ),
      ...named("a popup", "the whole page", "a download", "a form"),
      ...STORING,
      // The port is the panel's own, and no secret to the code beside it.
      ...REACHING_OUT.filter(([what]) => !what.includes("event under way")),
      ["a file that is not the panel's", `panel.files.read("secret.txt")`, /^refused Error$/],
      ["a file that the panel only reads", `panel.files.write("data/one.txt", "x")`, /^refused Error$/],
      ["a motor", `panel.devices.command(${target}, ${JSON.stringify(name)}, ${JSON.stringify(params)})`, /^refused/],
      ["a module from text", `import(URL.createObjectURL(new Blob(["1"], { type: "text/javascript" })))`, /^refused/],
    ];
    assert.equal(await evaluated(attemptCode(`panel.files.read("data/one.txt")`)), "for the panel");
    for (const [what, code, outcome] of attempts) assert.match(await evaluated(attemptCode(code)), outcome, what);
    await untouched("code of programs");
    assert.equal((await motor()).isMoving, false);
  });

  test("27: code that prints without end or does not end stops nothing else, and a reset helps", async () => {
    const tabId = tabs["com.example.runs"];
    assert.equal(await evaluated("for (let n = 0; n < 5_000; n += 1) console.log(n); 'printed'"), "printed");
    assert.equal(await call("com.example.runs", "panel.state()"), "{}", "the panel has its port");
    const endless = await driver.eval(tabId, "for (;;);", { timeoutMs: 500 });
    assert.ok(endless.status === "error", JSON.stringify(endless));
    assert.match(endless.error, /^Stopped after 0.5 s: the code did not finish. Reset the panel to continue.$/);
    assert.equal(await call("com.example.reader", "panel.state()"), "{}", "another panel answers");
    const path = `/api/panels/sandbox/${NAME}`;
    const journal = await driver.call("GET", `${path}/journal?panelId=${tabId}`);
    assert.ok((journal.body.evals as { code: string }[]).some(({ code }) => code.endsWith("for (;;);")));
    assert.equal((await driver.call("PATCH", path, { panelId: tabId, action: "reset" })).status, 204);
    await ready("com.example.runs");
    assert.equal(await evaluated("typeof kept"), "undefined", "nothing ran again");
  });

  // The last one: the panel is stopped afterwards.
  test("28: it cannot keep taking the keyboard from somebody who types", async () => {
    await ready("com.example.nothing");
    // What the driver of the browser ran counts as a click for some seconds.
    await sleep(6_000);
    await page.mouse.move(5, 5);
    await page.keyboard.press("Control+k");
    const search = page.getByRole("combobox");
    await search.waitFor();
    const tabId = tabs["com.example.nothing"];
    const grab = await driver.call("PATCH", `${driver.current}/tabs`, { tabId, panelState: { own: { grab: true } } });
    assert.equal(grab.status, 200);
    await sleep(1_000);
    const words = "typed in the page";
    await page.keyboard.type(words, { delay: 40 });
    const typed = await search.inputValue();
    const stopped = slot("com.example.nothing").getByText("kept taking the keyboard");
    // It may be stopped at any moment, and then has nothing any more.
    const stolen = await Promise.any([
      stopped.waitFor().then(() => ""),
      nothing().then((frame) => frame.evaluate<string>("document.querySelector('#bait').value")),
    ]);
    assert.ok(stolen.length <= 3, `it got ${JSON.stringify(stolen)}, the page ${JSON.stringify(typed)}`);
    assert.ok(typed.length >= words.length - 3, `the page got ${JSON.stringify(typed)}`);
    await page.keyboard.press("Escape");
  });
});

/** At the host name of a frame, which this machine need not resolve. */
function statusAt(host: string, path: string): Promise<number> {
  const { port } = new URL(workspaces.pages);
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end();
  });
}

async function motor() {
  const { body } = await driverWithDevices();
  const found = body.devices.find(({ capabilities }) => capabilities.some(({ kind }) => kind === "motor"));
  assert.ok(found);
  return found;
}

async function driverWithDevices(): Promise<{ body: Devices }> {
  const answer = await workspaces.owner.call(workspaces.pages, `/api/workspaces/editor/${NAME}/current/devices`);
  return { body: (await answer.json()) as Devices };
}

async function motorCommand() {
  const { id: device, capabilities } = await motor();
  const found = capabilities.find(({ kind }) => kind === "motor");
  assert.ok(found);
  const [name] = Object.entries(found.commands).find(([, { effect }]) => effect === "moves") ?? [];
  assert.ok(name !== undefined);
  return { device, capability: found.id, name, params: { velocity_rad_s: 5 } };
}
