import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { makePerson } from "../support/person.ts";
import { type Called, driverOf, driversOf, leavesOf } from "../support/workspaces.ts";
import type { Bench } from "./bench.ts";

const refusal = ({ status, body }: Called) => [status, body.code];

/** Members of each category, as the contract lists them. */
const MEMBERS = {
  Development: ["code-editor", "schematic-editor", "script-runner"],
  Control: ["motor", "led", "servo", "drone", "speed-controller", "lights", "workcell-power", "gpio"],
  Visualization: [
    ...["3d-viewer", "board-viewer", "imu", "time-of-flight", "ultrasonic", "line-follower", "temperature-graph"],
    ...["chip-data", "chip-statistics", "oven-data", "pressure-temperature", "ultra-wideband", "sensor-monitor"],
  ],
  Media: ["live-stream", "webrtc-player", "zoom-camera"],
  Utility: ["system-log", "robot-log", "battery-charger", "curriculum", "webview", "sandbox"],
};

const LOADED = readFileSync(new URL("../../packages/web/src/workspace/panels.ts", import.meta.url), "utf8");

/** The rules of panels, and every error that a call can get. */
export function testRules(bench: () => Bench): void {
  test("panel identifier <owner>/<panel_uuid>; categories and members as listed; singletons: 3D viewer, schematic editor", async () => {
    for (const driver of bench().drivers) {
      const catalog = await driver.catalog();
      const members = Object.groupBy(catalog, ({ category }) => category);
      assert.deepEqual(
        Object.fromEntries(Object.entries(members).map(([name, panels]) => [name, panels?.map(({ kind }) => kind)])),
        MEMBERS,
      );
      for (const { identifier } of catalog)
        assert.match(identifier, /^[a-z0-9-]+\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      const singletons = catalog.filter(({ singleton }) => singleton).map(({ kind }) => kind);
      assert.deepEqual(singletons, ["schematic-editor", "3d-viewer"]);
    }
  });

  test("every member of the catalog is a panel that the page loads, and no other is but that for packages", () => {
    const loaded = [...LOADED.matchAll(/^ {2}"?([a-z0-9-]+)"?: \(\) => import\(/gm)].map(([, kind]) => kind);
    assert.deepEqual(loaded.sort(), ["package", ...Object.values(MEMBERS).flat()].sort());
  });

  test("singleton panels at most once per workspace: a second one is 409, also with ten at once, also on another instance", async () => {
    const drivers = driversOf(bench().workspaces, "once");
    const catalog = await (drivers[0] as Bench["drivers"][number]).catalog();
    for (const kind of ["3d-viewer", "schematic-editor"]) {
      const { identifier } = catalog.find((panel) => panel.kind === kind) as (typeof catalog)[number];
      const open = (at: number) => {
        const driver = drivers[at % drivers.length] as Bench["drivers"][number];
        const panelType = at % 2 === 0 ? kind : identifier;
        return driver.call("POST", `${driver.current}/tabs`, { panelType });
      };
      const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => open(at)));
      const refused = answers.filter(({ status }) => status !== 201);
      assert.deepEqual(refused.map(refusal), Array(9).fill([409, "singleton-panel"]));
    }
    for (const driver of drivers) assert.equal((await driver.tabs()).length, 2);
  });

  test("missing or wrong key 401; not one's workspace 403, whether or not it exists", async () => {
    const { workspaces, drivers, webview } = bench();
    const { pages, owner } = workspaces;
    const name = "mallory";
    const stranger = await (await makePerson(owner, pages, name)).signIn();
    const body = { name: "probe", scopes: ["read", "panels"] };
    const { key } = (await (await stranger.call(pages, "/auth/api-keys", { method: "POST", body })).json()) as {
      key: string;
    };
    const before = await (drivers[0] as Bench["drivers"][number]).layout();
    for (const { url } of workspaces.instances) {
      for (const [apiKey, repo, expected] of [
        ["", "bench", [401, "not-signed-in"]],
        ["bpk_nothing", "bench", [401, undefined]],
        [key, "bench", [403, "workspace-not-yours"]],
        [key, "none", [403, "workspace-not-yours"]],
      ] as const) {
        const other = driverOf({ apiKey }, url, repo);
        for (const answer of [
          await other.webview({ panelId: webview, action: "setHeaderHidden", hidden: true }),
          await other.sandbox({ panelId: webview, action: "eval", code: "1" }),
          await other.screenshot({ panelId: webview }),
          await other.call("GET", other.current),
          await other.call("POST", `${other.current}/tabs`, { panelType: "webview" }),
        ]) {
          assert.equal(answer.status, expected[0]);
          if (expected[1]) assert.equal(answer.body.code, expected[1]);
        }
      }
    }
    assert.deepEqual(await (drivers[0] as Bench["drivers"][number]).layout(), before);
  });

  test("panelId unknown 404; its active tab is of another kind 409; a tab behind another is not rendered", async () => {
    const { drivers, webview, sandbox } = bench();
    for (const driver of drivers) {
      const calls = (panelId: string, other: string) => [
        driver.webview({ panelId: other, action: "refresh" }),
        driver.sandbox({ panelId, action: "reset" }),
      ];
      for (const answer of await Promise.all(calls(webview, sandbox))) {
        assert.deepEqual(refusal(answer), [409, "wrong-panel-type"]);
      }
      const unknown = [...calls("nowhere", "nowhere"), driver.screenshot({ panelId: "nowhere" })];
      for (const answer of await Promise.all(unknown)) assert.deepEqual(refusal(answer), [404, "panel-unknown"]);
      const { tabId } = await driver.open("system-log", { panelId: sandbox, background: true });
      assert.deepEqual(refusal(await driver.screenshot({ tabId })), [409, "not-rendered"]);
      assert.equal((await driver.call("DELETE", `${driver.current}/tabs`, { tabId })).status, 200);
      assert.deepEqual(refusal(await driver.screenshot({ tabId })), [404, "tab-unknown"]);
    }
  });

  test("bad JSON is 400; a wrong type, an unknown action, a missing field is 422 and names the field; nothing is changed", async () => {
    const { drivers, webview, sandbox } = bench();
    for (const driver of drivers) {
      const before = await driver.layout();
      const { owner, repo } = { owner: "owner", repo: "bench" };
      const cases: [string, string, object, string][] = [
        ["PATCH", `/api/panels/webview/${owner}/${repo}`, { panelId: webview, action: "navigate" }, "/url"],
        ["PATCH", `/api/panels/webview/${owner}/${repo}`, { panelId: webview, action: "fly" }, "/action"],
        ["PATCH", `/api/panels/webview/${owner}/${repo}`, { action: "refresh" }, "/panelId"],
        [
          "PATCH",
          `/api/panels/webview/${owner}/${repo}`,
          { panelId: webview, action: "setHeaderHidden", hidden: 1 },
          "/hidden",
        ],
        ["PATCH", `/api/panels/webview/${owner}/${repo}`, { panelId: webview, action: "setProxyEnabled" }, "/enabled"],
        [
          "PATCH",
          `/api/panels/webview/${owner}/${repo}`,
          { panelId: webview, action: "navigate", url: "file:///etc" },
          "/url",
        ],
        ["PATCH", `/api/panels/sandbox/${owner}/${repo}`, { panelId: sandbox, action: "eval" }, "/code"],
        ["PATCH", `/api/panels/sandbox/${owner}/${repo}`, { panelId: sandbox, action: "setHeaderHidden" }, "/hidden"],
        ["PATCH", `${driver.current}/screenshot`, { scope: "house" }, "/scope"],
        ["PATCH", `${driver.current}/screenshot`, { scope: "panel" }, "/panelId"],
        [
          "POST",
          `${driver.current}/tabs`,
          { panelType: "webview", initialState: { url: "ftp://x/" } },
          "/initialState/url",
        ],
        ["POST", `${driver.current}/splits`, { panelId: webview, panelType: "webview" }, "/direction"],
      ];
      for (const [method, path, body, pointer] of cases) {
        const answer = await driver.call(method, path, body);
        assert.equal(answer.status, 422, `${path} ${JSON.stringify(body)}`);
        assert.equal(answer.headers.get("content-type")?.split(";")[0], "application/problem+json");
        const errors = answer.body.errors as { pointer: string }[];
        assert.deepEqual([...new Set(errors.map((each) => each.pointer))], [pointer], JSON.stringify(body));
      }
      assert.equal((await driver.call("PATCH", `/api/panels/webview/${owner}/${repo}`, "{")).status, 400);
      assert.deepEqual(await driver.layout(), before);
    }
  });

  test("panelId is the id of the leaf whose active tab is the target; splits, moves and resizing as any layout call", async () => {
    const [driver] = driversOf(bench().workspaces, "layout") as [Bench["drivers"][number]];
    const last = driversOf(bench().workspaces, "layout").at(-1) as Bench["drivers"][number];
    const first = await driver.open("webview", { displayName: "Datasheet" });
    const { newPanelId, tabId } = await last.split(first.panelId, "sandbox", { direction: "vertical", ratio: 0.3 });
    const { root } = await driver.layout();
    assert.deepEqual(root.type === "split" && [root.direction, root.ratio], ["vertical", 0.3]);
    const resized = await last.call("PATCH", `${last.current}/splits`, { splitId: root.id, ratio: 0.6 });
    assert.equal(resized.status, 200);
    const move = { sourcePanelId: newPanelId, tabId, targetPanelId: first.panelId };
    assert.equal((await driver.call("POST", `${driver.current}/moves`, move)).status, 200);
    const after = (await last.layout()).root;
    assert.deepEqual(
      leavesOf(after).map(({ id, activeTabId }) => [id, activeTabId]),
      [[first.panelId, tabId]],
    );
    const show = { panelId: first.panelId, tabId: first.tabId, active: true };
    assert.equal((await last.call("PATCH", `${last.current}/tabs`, show)).status, 200);
    const navigate = { panelId: first.panelId, action: "navigate", url: "http://127.0.0.1:9/" };
    assert.equal((await driver.webview(navigate)).status, 204);
    assert.equal((await driver.call("DELETE", `${driver.current}/tabs`, { name: "Datasheet" })).status, 200);
    assert.deepEqual(
      (await last.tabs()).map((tab) => tab.tabId),
      [tabId],
    );
  });
}
