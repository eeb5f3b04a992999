import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Layout, ListedTab } from "@backplane/contract/panels";
import { faultsIn } from "../layout/faults.suite.ts";
import { draw, typeOf } from "../layout/sample.suite.ts";
import { firstLeaf } from "../layout/tree.ts";
import { type Answer, openSite, type Site } from "./site.suite.ts";
import type { Stage } from "./stages.suite.ts";
import { until } from "./workspaces-under-test.suite.ts";

const textOf = (answer: Answer, key: string): string => String(answer.body[key]);

/** The tree with the names of its tabs instead of their ids. */
async function drawn(site: Site): Promise<string> {
  const { root } = (await site.ada("GET")).body as unknown as Layout;
  assert.deepEqual(faultsIn(root), []);
  const { tabs } = (await site.ada("GET", "/tabs")).body as { tabs: ListedTab[] };
  return tabs.reduce((text, { tabId, name }) => text.replaceAll(tabId, name), draw(root));
}

async function open(site: Site, name: string, more: object = {}): Promise<Answer> {
  const answer = await site.ada("POST", "/tabs", { panelType: "sandbox", displayName: name, ...more });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer;
}

export function testRoutes(stage: Stage): void {
  const it = (name: string, work: (t: TestContext) => Promise<void>) => test(`${stage.name}: ${name}`, work);

  it("GET …/current → {revision, root, …root's own keys}", async (t) => {
    const site = await openSite(t, stage);
    const empty = await site.ada("GET");
    assert.equal(empty.status, 200);
    const { root } = empty.body as unknown as Layout;
    assert.deepEqual(empty.body, { owner: "ada", repo: "rover", revision: 0, root, ...root });
    assert.equal(root.type, "leaf");
    await open(site, "A");
    const filled = (await site.ada("GET")).body;
    assert.deepEqual(filled, {
      ...{ owner: "ada", repo: "rover", revision: 1, root: filled.root },
      ...(filled.root as Layout["root"]),
    });
  });

  it("POST /tabs {panelId,panelType,displayName?,displayIcon?,initialState?} → 201 {tabId,panelId}", async (t) => {
    const site = await openSite(t, stage);
    const { id: panelId } = (await site.ada("GET")).body;
    const answer = await site.call("ada/My program", "POST", "/api/workspaces/editor/ada/rover/current/tabs", {
      ...{ panelId, panelType: typeOf("webview"), displayName: "Docs", displayIcon: "book" },
      initialState: { url: "https://example.org/a?b=c" },
    });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body, { tabId: answer.body.tabId, panelId, reused: false, built: true, revision: 1 });
    const listed = await site.ada("GET", "/tabs");
    assert.deepEqual(listed.body, {
      revision: 1,
      tabs: [
        {
          ...{ id: answer.body.tabId, tabId: answer.body.tabId, panelId, name: "Docs", kind: "webview" },
          ...{ active: true, isActive: true },
          ...{ panelType: typeOf("webview"), displayName: "Docs", displayIcon: "book" },
          panelState: { url: "https://example.org/a?b=c" },
        },
      ],
    });
    await open(site, "B", { panelType: "sandbox" });
    assert.equal(await drawn(site), "Docs B*", "without panelId in the first panel, and a short name opens it too");
    const [, second] = ((await site.ada("GET", "/tabs")).body as { tabs: ListedTab[] }).tabs;
    assert.equal(second?.panelType, typeOf("sandbox"), "kept as the identifier");
  });

  it("POST /tabs and /splits also read name and panelState, and the error names the key that was sent", async (t) => {
    const site = await openSite(t, stage);
    const page = { panelType: "webview", name: "Docs", panelState: { url: "https://example.org/" }, tabType: "x" };
    const opened = await site.ada("POST", "/tabs", page);
    assert.equal(opened.status, 201);
    const again = await site.ada("POST", "/tabs", { ...page, reuse: true });
    assert.deepEqual([again.status, again.body.tabId], [200, opened.body.tabId]);
    const beside = { panelId: opened.body.panelId, direction: "vertical", panelType: "sandbox", name: "Beside" };
    assert.equal((await site.ada("POST", "/splits", beside)).status, 201);
    const both = { displayName: "Ours", initialState: { url: "https://example.com/" } };
    assert.equal((await site.ada("POST", "/tabs", { ...page, ...both })).status, 201);
    const { tabs } = (await site.ada("GET", "/tabs")).body as { tabs: ListedTab[] };
    assert.deepEqual(
      tabs.map(({ displayName, panelState, isActive }) => [displayName, panelState.url, isActive]),
      [
        ["Docs", "https://example.org/", false],
        ["Ours", "https://example.com/", true],
        ["Beside", undefined, true],
      ],
    );
    for (const [wrong, pointer] of [
      [{ panelState: { url: 5 } }, "/panelState/url"],
      [{ panelState: "x" }, "/panelState"],
      [{ name: "" }, "/name"],
    ] as const) {
      const refused = await site.ada("POST", "/tabs", { panelType: "webview", ...wrong });
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [422, pointer]);
    }
  });

  it("a tab opened by an alias reports that alias as its panelType, and is the same panel", async (t) => {
    const site = await openSite(t, stage);
    const alias = "adom/a1b2c3d4-0031-4000-a000-000000000031";
    const page = { displayName: "Docs", reuse: true, initialState: { url: "https://example.org/" } };
    const opened = await site.ada("POST", "/tabs", { panelType: alias, ...page });
    assert.equal(opened.status, 201);
    const tabs = async () => ((await site.ada("GET", "/tabs")).body as { tabs: ListedTab[] }).tabs;
    const [tab] = await tabs();
    assert.deepEqual([tab?.panelType, tab?.aliasOf, tab?.kind], [alias, typeOf("webview"), "webview"]);
    const again = await site.ada("POST", "/tabs", { panelType: "webview", ...page });
    assert.deepEqual([again.status, again.body.tabId], [200, opened.body.tabId], "reuse finds it by any spelling");
    assert.equal((await tabs())[0]?.panelType, alias);
    const wrong = await site.ada("PATCH", "/tabs", { tabId: opened.body.tabId, panelState: { url: 5 } });
    assert.deepEqual([wrong.status, wrong.body.errors?.[0]?.pointer], [422, "/panelState/url"]);
    assert.equal((await site.ada("POST", "/tabs", { panelType: "acme/models" })).status, 201);
    const second = await site.ada("POST", "/tabs", { panelType: "3d-viewer" });
    assert.deepEqual([second.status, second.body.code], [409, "singleton-panel"]);
  });

  it("a program that only opens a tab does not drive it; one that changes its contents does", async (t) => {
    const site = await openSite(t, stage);
    const driver = async () => ((await site.ada("GET", "/tabs")).body as { tabs: ListedTab[] }).tabs[0]?.drivenBy;
    const program = (method: "POST" | "PATCH", body: object) =>
      site.call("ada/My program", method, "/api/workspaces/editor/ada/rover/current/tabs", body);
    const docs = { panelType: "webview", displayName: "Docs", reuse: true };
    const initialState = { url: "https://example.org/" };
    const opened = await program("POST", { ...docs, initialState });
    assert.equal(opened.status, 201);
    assert.equal(await driver(), undefined, "opened");
    const tabId = textOf(opened, "tabId");
    assert.equal((await program("PATCH", { tabId, active: true })).status, 200);
    assert.equal((await program("POST", docs)).status, 200);
    assert.equal(await driver(), undefined, "shown");
    assert.equal((await site.ada("POST", "/tabs", { ...docs, initialState })).status, 200);
    assert.equal(await driver(), undefined, "a person's own browser drives nothing");
    assert.equal((await program("POST", { ...docs, initialState })).status, 200);
    assert.equal(await driver(), "My program", "the page was loaded again");
  });

  it("bad input is named by its field, and nothing is changed", async (t) => {
    const site = await openSite(t, stage);
    const opened = await open(site, "A");
    const [tabId, panelId] = [textOf(opened, "tabId"), textOf(opened, "panelId")];
    const refused: [string, "POST" | "PATCH" | "DELETE", object, number, string, string?][] = [
      ["/tabs", "POST", {}, 422, "/panelType"],
      ["/tabs", "POST", { panelType: 5 }, 422, "/panelType"],
      ["/tabs", "POST", { panelType: "nothing" }, 422, "/panelType", "panel-type-unknown"],
      ["/tabs", "POST", { panelType: "__proto__" }, 422, "/panelType", "panel-type-unknown"],
      ["/tabs", "POST", { panelType: "webview", initialState: { url: 5 } }, 422, "/initialState/url"],
      [
        "/tabs",
        "POST",
        { panelType: "webview", initialState: { url: "file:///etc/passwd" } },
        422,
        "/initialState/url",
      ],
      ["/tabs", "POST", { panelType: "webview", initialState: { uri: "x" } }, 422, "/initialState/uri"],
      ["/tabs", "POST", { panelType: "webview", initialState: [] }, 422, "/initialState"],
      ["/tabs", "POST", { panelType: "sandbox", displayName: "" }, 422, "/displayName"],
      ["/tabs", "POST", { panelType: "sandbox", displayName: "x".repeat(121) }, 422, "/displayName"],
      ["/tabs", "POST", { panelType: "sandbox", displayIcon: "data:text/html,x" }, 422, "/displayIcon"],
      ["/tabs", "POST", { panelType: "sandbox", displayIcon: "x".repeat(16_385) }, 422, "/displayIcon"],
      ["/tabs", "POST", { panelType: "sandbox", panelId: "no such" }, 422, "/panelId"],
      ["/tabs", "POST", { panelType: "sandbox", panelId: "none" }, 404, "/panelId", "panel-unknown"],
      ["/tabs", "POST", { panelType: "sandbox", revision: "1" }, 422, "/revision"],
      ["/tabs", "POST", { panelType: "sandbox", revision: 0 }, 409, "/revision", "layout-changed"],
      ["/tabs", "DELETE", {}, 422, "/tabId"],
      ["/tabs", "DELETE", { panelId }, 422, "/tabId"],
      ["/tabs", "DELETE", { tabId, name: "A" }, 422, "/tabId"],
      ["/tabs", "DELETE", { name: "B" }, 404, "/name", "tab-unknown"],
      ["/tabs", "DELETE", { panelId: "none", tabId }, 404, "/panelId", "panel-unknown"],
      ["/tabs", "PATCH", { panelId }, 422, "/tabId"],
      ["/tabs", "PATCH", { tabId: "none", active: true }, 404, "/tabId", "tab-unknown"],
      ["/tabs", "PATCH", { tabId, active: false }, 422, "/active"],
      ["/tabs", "PATCH", { tabId, panelState: { generation: -1 } }, 422, "/panelState/generation"],
      ["/tabs", "PATCH", { tabId, panelState: { other: 1 } }, 422, "/panelState/other"],
      ["/splits", "POST", { panelId, panelType: "sandbox" }, 422, "/direction"],
      ["/splits", "POST", { panelId, panelType: "sandbox", direction: "up" }, 422, "/direction"],
      ["/splits", "POST", { panelId, panelType: "sandbox", direction: "vertical", ratio: 1 }, 422, "/ratio"],
      ["/splits", "PATCH", { splitId: "none", ratio: 0.5 }, 404, "/splitId", "split-unknown"],
      ["/splits", "PATCH", { splitId: "none", ratio: 0.01 }, 422, "/ratio"],
      ["/moves", "POST", { tabId }, 422, "/targetPanelId"],
      ["/moves", "POST", { tabId, targetPanelId: "none" }, 404, "/targetPanelId", "panel-unknown"],
      ["/moves", "POST", { tabId, targetPanelId: panelId, sourcePanelId: "none" }, 404, "/sourcePanelId"],
      ["/moves", "POST", { tabId, targetPanelId: panelId, position: "after" }, 422, "/direction"],
      ["/moves", "POST", { tabId, targetPanelId: panelId, direction: "vertical", index: 0 }, 422, "/index"],
      ["/undo", "POST", { revision: -1 }, 422, "/revision"],
      ["/undo", "POST", { revision: 7 }, 409, "/revision", "nothing-to-undo"],
    ];
    for (const [path, method, body, status, pointer, code] of refused) {
      const answer = await site.ada(method, path, body);
      const what = `${method} ${path} ${JSON.stringify(body).slice(0, 80)}`;
      assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
      assert.ok(
        answer.body.errors?.some((error) => error.pointer === pointer),
        `${what}: ${JSON.stringify(answer.body.errors)}`,
      );
      if (code) assert.equal(answer.body.code, code);
    }
    assert.equal((await site.ada("POST", "/tabs", "{")).status, 400);
    const poisoned = '{"panelType":"sandbox","initialState":{"__proto__":{"polluted":1}}}';
    assert.equal((await site.ada("POST", "/tabs", poisoned)).status, 400);
    const huge = { panelType: "webview", initialState: { url: "x".repeat(200_000) } };
    assert.equal((await site.ada("POST", "/tabs", huge)).status, 413);
    assert.equal((await site.ada("GET")).body.revision, 1, "nothing was changed");
  });

  it("missing or wrong key 401; a key that only reads changes nothing: 403; not one's workspace 403", async (t) => {
    const site = await openSite(t, stage);
    await open(site, "A");
    const path = "/api/workspaces/editor/ada/rover/current";
    for (const [method, rest] of [
      ["GET", ""],
      ["GET", "/tabs"],
      ["GET", "/events"],
    ] as const) {
      assert.equal((await site.call(undefined, method, path + rest)).status, 401);
      assert.equal((await site.call("ada/none", method, path + rest)).body.code, "scope-missing");
      const foreign = await site.call("eve", method, path + rest);
      assert.deepEqual([foreign.status, foreign.body.code], [403, "workspace-not-yours"]);
      const none = await site.call("eve", method, path.replace("rover", "none") + rest);
      assert.deepEqual({ ...none.body, instance: "" }, { ...foreign.body, instance: "" }, "alike where there is none");
    }
    for (const [method, rest, body] of [
      ["POST", "/tabs", { panelType: "sandbox" }],
      ["DELETE", "/tabs", { name: "A" }],
      ["PATCH", "/tabs", { tabId: "x", active: true }],
      ["POST", "/splits", { panelId: "x", direction: "vertical", panelType: "sandbox" }],
      ["PATCH", "/splits", { splitId: "x", ratio: 0.5 }],
      ["POST", "/moves", { tabId: "x", targetPanelId: "y" }],
      ["POST", "/undo", {}],
    ] as const) {
      assert.equal((await site.call(undefined, method, path + rest, body)).status, 401);
      assert.equal((await site.call("eve", method, path + rest, body)).status, 403);
      assert.equal((await site.call("ada/read", method, path + rest, body)).body.code, "scope-missing");
    }
    assert.equal((await site.call("eve", "DELETE", "/api/workspaces/editor/ada/rover")).status, 403);
    assert.equal((await site.call("ada/read", "DELETE", "/api/workspaces/editor/ada/rover")).status, 403);
    for (const who of ["eve", "ada/read"]) {
      assert.equal((await site.call(who, "PATCH", "/api/workspaces/editor/ada/rover", { repo: "x" })).status, 403);
    }
    assert.equal((await site.ada("GET")).body.revision, 1);
  });

  it("a key with the scope read reads the workspaces that exist, and creates none", async (t) => {
    const site = await openSite(t, stage);
    await open(site, "A");
    const ask = (path: string, who = "ada/read") => site.call(who, "GET", `/api/workspaces${path}`);
    for (const path of ["", "/editor/ada/rover/current", "/editor/ada/rover/current/tabs"]) {
      assert.deepEqual(await ask(path), await ask(path, "ada"), path);
    }
    const none = await ask("/editor/ada/rovre/current");
    assert.deepEqual([none.status, none.body.code], [404, "workspace-unknown"]);
    assert.equal((await ask("/editor/eve/own/current")).body.code, "workspace-not-yours");
    assert.equal(((await ask("")).body.workspaces as unknown[]).length, 1);
  });

  it("A second singleton is 409 singleton-panel, and says where the first one is; of 10 at once 1 is opened", async (t) => {
    const site = await openSite(t, stage);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => site.ada("POST", "/tabs", { panelType: "3d-viewer" })),
    );
    const won = answers.filter(({ status }) => status === 201);
    assert.equal(won.length, 1);
    const [winner] = won;
    assert.ok(winner);
    for (const { status, body } of answers) {
      if (status === 201) continue;
      assert.deepEqual([status, body.code, body.errors?.[0]?.pointer], [409, "singleton-panel", "/panelType"]);
      assert.match(String(body.detail), new RegExp(`${textOf(winner, "tabId")} in panel ${textOf(winner, "panelId")}`));
    }
    const shown = await site.ada("POST", "/tabs", { panelType: "3d-viewer", displayName: "Mine", reuse: true });
    assert.deepEqual([shown.status, shown.body.tabId], [200, winner.body.tabId]);
  });

  it("reuse shows the tab of that name and type, with the state that was sent, instead of a second one", async (t) => {
    const site = await openSite(t, stage);
    const page = (name: string, url: string, more: object = {}) =>
      site.ada("POST", "/tabs", {
        ...{ panelType: "webview", displayName: name, initialState: { url }, reuse: true },
        ...more,
      });
    const first = await page("Docs", "https://example.org/1");
    assert.equal(first.status, 201);
    await open(site, "B");
    const again = await page("Docs", "https://example.org/1");
    assert.deepEqual([again.status, again.body.tabId, again.body.reused], [200, first.body.tabId, true]);
    assert.equal(await drawn(site), "Docs* B");
    const { tabs } = (await site.ada("GET", "/tabs")).body as { tabs: ListedTab[] };
    assert.deepEqual(tabs[0]?.panelState, { url: "https://example.org/1", visit: 1 }, "the same address loads again");
    assert.equal((await page("Other", "https://example.org/2", { background: true })).status, 201);
    assert.equal(await drawn(site), "Docs* B Other");
    const beside = await site.ada("POST", "/splits", {
      ...{
        panelId: first.body.panelId,
        direction: "vertical",
        panelType: "webview",
        displayName: "Other",
        reuse: true,
      },
    });
    assert.deepEqual([beside.status, beside.body.newPanelId], [200, first.body.panelId]);
    assert.equal(await drawn(site), "Docs B Other*");
    assert.equal((await site.ada("POST", "/undo")).status, 200);
    assert.equal(await drawn(site), "Docs* B", "showing a tab cannot be undone: the last change was opening Other");
  });

  it("POST /splits → 201 {newPanelId,panelId,tabId}; PATCH /splits {splitId,ratio}; POST /moves", async (t) => {
    const site = await openSite(t, stage);
    const a = await open(site, "A");
    const b = await site.ada("POST", "/splits", {
      ...{ panelId: a.body.panelId, direction: "horizontal", panelType: "sandbox", displayName: "B", ratio: 0.25 },
    });
    assert.equal(b.status, 201);
    assert.deepEqual(Object.keys(b.body).sort(), ["built", "newPanelId", "panelId", "reused", "revision", "tabId"]);
    assert.equal(b.body.panelId, a.body.panelId);
    assert.equal(await drawn(site), "[A* | B*]");
    const { root } = (await site.ada("GET")).body as unknown as Layout;
    assert.ok(root.type === "split" && root.ratio === 0.25 && root.direction === "horizontal");
    const resized = await site.ada("PATCH", "/splits", { splitId: root.id, ratio: 0.75 });
    assert.deepEqual(resized, { status: 200, body: { revision: 3 } });
    await open(site, "C");
    const move = { sourcePanelId: a.body.panelId, tabId: a.body.tabId, targetPanelId: b.body.newPanelId };
    const moved = await site.ada("POST", "/moves", move);
    assert.deepEqual(moved, { status: 200, body: { revision: 5, panelId: b.body.newPanelId } });
    assert.equal(await drawn(site), "[C* | B A*]");
    const beside = await site.ada("POST", "/moves", {
      ...{ tabId: a.body.tabId, targetPanelId: b.body.newPanelId, direction: "vertical", position: "before" },
    });
    assert.equal(await drawn(site), "[C* | [A* / B*]]");
    const after = (await site.ada("GET")).body as unknown as Layout;
    assert.ok(after.root.type === "split");
    assert.equal(firstLeaf(after.root.second).id, beside.body.panelId);
    assert.equal((await site.ada("POST", "/moves", move)).status, 404, "it is not where it was any more");
    for (const expected of ["[C* | B A*]", "[A C* | B*]", "[A* | B*]", "[A* | B*]", "A*", "empty"]) {
      assert.equal((await site.ada("POST", "/undo")).status, 200);
      assert.equal(await drawn(site), expected);
    }
    const over = await site.ada("POST", "/undo", {});
    assert.deepEqual([over.status, over.body.code], [409, "nothing-to-undo"]);
  });

  it("PATCH /tabs {panelId,tabId,active:true} shows it; its name and state change the same way", async (t) => {
    const site = await openSite(t, stage);
    const a = await open(site, "A");
    await open(site, "B");
    const { panelId, tabId } = a.body;
    assert.deepEqual((await site.ada("PATCH", "/tabs", { panelId, tabId, active: true })).body, { revision: 3 });
    assert.equal(await drawn(site), "A* B");
    assert.deepEqual((await site.ada("PATCH", "/tabs", { panelId, tabId, active: true })).body, { revision: 3 });
    await site.ada("PATCH", "/tabs", { tabId, displayName: "A2", panelState: { headerHidden: true, generation: 1 } });
    await site.ada("PATCH", "/tabs", { tabId, panelState: { generation: null } });
    const { tabs } = (await site.ada("GET", "/tabs")).body as { tabs: ListedTab[] };
    assert.deepEqual([tabs[0]?.name, tabs[0]?.panelState], ["A2", { headerHidden: true }]);
  });

  it("DELETE /tabs {panelId,tabId}|{name}; a name that several tabs have closes none", async (t) => {
    const site = await openSite(t, stage);
    const a = await open(site, "A");
    await open(site, "Twin");
    await open(site, "Twin");
    const { panelId, tabId } = a.body;
    assert.deepEqual(await site.ada("DELETE", "/tabs", { panelId, tabId }), {
      ...{ status: 200, body: { revision: 4, tabId } },
    });
    const ambiguous = await site.ada("DELETE", "/tabs", { name: "Twin" });
    assert.deepEqual([ambiguous.status, ambiguous.body.code], [409, "tab-name-ambiguous"]);
    const { tabs } = (await site.ada("GET", "/tabs")).body as { tabs: ListedTab[] };
    for (const twin of tabs) assert.match(String(ambiguous.body.detail), new RegExp(twin.tabId));
    await site.ada("DELETE", "/tabs", { tabId: tabs[0]?.tabId });
    assert.equal((await site.ada("DELETE", "/tabs", { name: "Twin" })).status, 200);
    assert.equal(await drawn(site), "empty");
  });

  it("every change adds a line to the workspace's log, without the contents of tabs", async (t) => {
    const site = await openSite(t, stage);
    const a = await open(site, "Docs", {
      panelType: "webview",
      initialState: { url: "https://example.org/?key=secret" },
    });
    await site.ada("PATCH", "/tabs", { tabId: a.body.tabId, displayName: "Docs 2" });
    await site.ada("DELETE", "/tabs", { tabId: a.body.tabId });
    await site.ada("POST", "/undo");
    const read = () => site.first.database.durable.selectFrom("panels_log").select("message").orderBy("id").execute();
    await until("all is noted", async () => (await read()).length === 4);
    const lines = await read();
    assert.deepEqual(lines.map(({ message }) => message).sort(), [
      ...["Closed Docs 2", "Opened Docs", "Renamed to Docs 2", "Undid a change of the layout"],
    ]);
  });

  it("GET /api/workspaces lists, DELETE removes", async (t) => {
    const site = await openSite(t, stage);
    await open(site, "A");
    site.clock.nowMs += 1_000;
    await site.call("ada", "GET", "/api/workspaces/editor/guild/oven/current");
    const listed = await site.call("ada", "GET", "/api/workspaces");
    const at = (ms: number) => new Date(ms).toISOString();
    const managed = { browserConnected: false, mayManage: true, isShared: false };
    const outline = (kind: string | null) => ({ outline: [{ left: 0, top: 0, width: 1, height: 1, kind }] });
    assert.deepEqual(listed.body, {
      workspaces: [
        { owner: "Guild", repo: "oven", tabs: 0, updatedAt: at(site.clock.nowMs), ...managed, ...outline(null) },
        {
          ...{ owner: "ada", repo: "rover", tabs: 1, updatedAt: at(site.clock.nowMs - 1_000) },
          ...{ ...managed, ...outline("sandbox") },
        },
      ],
      truncated: false,
      invitations: [],
    });
    const asMember = (await site.call("bob", "GET", "/api/workspaces")).body.workspaces as { mayManage: boolean }[];
    assert.deepEqual(
      asMember.map(({ mayManage }) => mayManage),
      [false],
    );
    assert.equal((await site.call("ada", "GET", "/api/workspaces?limit=1")).body.truncated, true);
    assert.equal((await site.call("ada", "GET", "/api/workspaces?limit=9999")).status, 400);
    assert.equal((await site.call(undefined, "GET", "/api/workspaces")).status, 401);
    assert.deepEqual((await site.call("eve", "GET", "/api/workspaces")).body, {
      ...{ workspaces: [], truncated: false, invitations: [] },
    });
    assert.equal((await site.call("ada", "DELETE", "/api/workspaces/editor/ada/rover")).status, 204);
    assert.equal((await site.call("ada", "DELETE", "/api/workspaces/editor/ada/rover")).status, 404);
    assert.equal((await site.ada("GET")).body.revision, 0);
  });

  it("GET /containers/{slug} → {slug, repository: {name, owner: {name}}} for the caller's workspaces", async (t) => {
    const site = await openSite(t, stage);
    const ask = (slug: string, who?: string) => site.call(who, "GET", `/containers/${slug}`);
    const named = (slug: string, owner: string, name: string) => ({
      ...{ status: 200, body: { slug, repository: { name, owner: { name: owner } } } },
    });
    assert.deepEqual([(await ask("hdlocal", "ada")).status, (await ask("hdlocal")).status], [404, 401]);
    await open(site, "A");
    for (const path of ["guild/oven", "ada/a--b"]) {
      site.clock.nowMs += 1_000;
      await site.call("ada", "GET", `/api/workspaces/editor/${path}/current`);
    }
    assert.deepEqual(await ask("ada--rover", "ada"), named("ada--rover", "ada", "rover"));
    assert.deepEqual(await ask("ADA--Rover", "ada"), named("ADA--Rover", "ada", "rover"));
    assert.deepEqual(await ask("Guild--oven", "ada"), named("Guild--oven", "Guild", "oven"));
    assert.deepEqual(await ask("ada--a--b", "ada"), named("ada--a--b", "ada", "a--b"));
    assert.deepEqual(await ask("hdlocal", "ada"), named("hdlocal", "ada", "a--b"), "the one used last");
    for (const slug of ["ada--rover", "guild--oven", "hdlocal", "ada", "--", "ada--none"]) {
      assert.deepEqual([(await ask(slug, "eve")).status, (await ask(slug, "eve")).body.code], [404, "not-found"], slug);
    }
    assert.deepEqual((await site.call("eve", "GET", "/api/workspaces")).body.workspaces, [], "asking creates none");
  });

  it("POST creates a workspace, and refuses a name that exists; layoutOf copies the panels, with ids of their own", async (t) => {
    const site = await openSite(t, stage);
    await open(site, "A");
    const create = (body: object, as = "ada") => site.call(as, "POST", "/api/workspaces", body);
    assert.deepEqual(await create({ owner: "ada", repo: "oven" }), {
      ...{ status: 201, body: { owner: "ada", repo: "oven" } },
    });
    const layoutOf = { owner: "ada", repo: "rover" };
    assert.equal((await create({ owner: "ada", repo: "twin", layoutOf })).status, 201);
    const read = async (repo: string) =>
      (await site.call("ada", "GET", `/api/workspaces/editor/ada/${repo}/current/tabs`)).body.tabs as ListedTab[];
    const [first, twin] = [await read("rover"), await read("twin")];
    assert.deepEqual(
      twin.map(({ name, panelType }) => [name, panelType]),
      first.map(({ name, panelType }) => [name, panelType]),
    );
    assert.notEqual(twin[0]?.tabId, first[0]?.tabId);
    const listed = (await site.call("ada", "GET", "/api/workspaces")).body.workspaces as {
      repo: string;
      tabs: number;
    }[];
    assert.equal(listed.find(({ repo }) => repo === "twin")?.tabs, 1);
    for (const [body, status, code] of [
      [{ owner: "ada", repo: "OVEN" }, 409, "name-taken"],
      [{ owner: "ada", repo: "../x" }, 422, "invalid-input"],
      [{ owner: "eve", repo: "mine" }, 403, "workspace-not-yours"],
      [{ owner: "ada", repo: "third", layoutOf: { owner: "ada", repo: "none" } }, 404, "workspace-unknown"],
      [{ owner: "ada", repo: "third", layoutOf: { owner: "eve", repo: "none" } }, 403, "workspace-not-yours"],
    ] as const) {
      const refused = await create(body);
      assert.deepEqual([refused.status, refused.body.code], [status, code], JSON.stringify(body));
    }
    const stolen = await create({ owner: "eve", repo: "copy", layoutOf }, "eve");
    assert.deepEqual([stolen.status, stolen.body.code], [403, "workspace-not-yours"]);
  });

  it("PATCH renames a workspace: its panels come along, and a wrong or taken name changes nothing", async (t) => {
    const site = await openSite(t, stage);
    await open(site, "A");
    await site.call("ada", "GET", "/api/workspaces/editor/ada/oven/current");
    const rename = (repo: unknown) => site.call("ada", "PATCH", "/api/workspaces/editor/ada/rover", { repo });
    for (const [repo, status, code] of [
      ["../x", 422, "invalid-input"],
      [7, 422, "invalid-input"],
      ["OVEN", 409, "name-taken"],
    ] as const) {
      const refused = await rename(repo);
      assert.deepEqual([refused.status, refused.body.code, refused.body.errors?.[0]?.pointer], [status, code, "/repo"]);
    }
    assert.deepEqual(await rename("Thermal"), { status: 200, body: { owner: "ada", repo: "Thermal" } });
    assert.deepEqual((await rename("again")).body.code, "workspace-unknown");
    const moved = await site.call("ada", "GET", "/api/workspaces/editor/ada/thermal/current");
    assert.deepEqual([moved.body.repo, moved.body.revision], ["Thermal", 1]);
    const listed = await site.call("ada", "GET", "/api/workspaces");
    const names = (listed.body.workspaces as { repo: string; firstRepo?: string }[]).map((each) => [
      ...[each.repo, each.firstRepo],
    ]);
    assert.deepEqual(names.sort(), [
      ["Thermal", "rover"],
      ["oven", undefined],
    ]);
  });

  it("every route is in the API reference", async (t) => {
    const site = await openSite(t, stage);
    const { body } = await site.call(undefined, "GET", "/openapi.json");
    const paths = Object.keys(body.paths as object).filter((path) => path.startsWith("/api/"));
    const current = "/api/workspaces/editor/{owner}/{repo}/current";
    assert.deepEqual(paths.sort(), [
      "/api/panels/catalog",
      "/api/panels/icons/mdi/{name}",
      "/api/workspaces",
      "/api/workspaces/editor/{owner}/{repo}",
      "/api/workspaces/editor/{owner}/{repo}/accept",
      ...["", "/events", "/moves", "/splits", "/tabs", "/undo"].map((rest) => current + rest),
      "/api/workspaces/editor/{owner}/{repo}/people",
      "/api/workspaces/editor/{owner}/{repo}/people/{name}",
    ]);
  });
}
