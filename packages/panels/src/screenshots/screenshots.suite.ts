import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import sharp from "sharp";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import {
  browser,
  openUnderTest,
  picture,
  problemOf,
  screenshotOf,
  upload,
  WORKSPACE,
} from "./screenshots-under-test.suite.ts";

export function testScreenshots(stage: Stage): void {
  test(`${stage.name}: 200 has the path, the address, both sizes and the scale; the file exists`, async (t) => {
    const { one, kept, folder, lines } = await openUnderTest(t, stage);
    const answer = await screenshotOf(await one.shoot({ panelId: "right", name: "yaw" }));
    const { size, ...rest } = answer;
    assert.deepEqual(rest, {
      path: "screenshots/yaw-64x48.png",
      url: "http://localhost:8790/api/workspaces/editor/Ada/Rover/current/screenshots/yaw-64x48.png",
      ...{ width: 64, height: 48, originalWidth: 64, originalHeight: 48, scale: 1 },
      ...{ scope: "panel", method: "element-capture", mimeType: "image/png" },
    });
    assert.deepEqual(await kept(), ["yaw-64x48.png"]);
    const bytes = await readFile(join(folder, "yaw-64x48.png"));
    assert.equal(bytes.length, size);
    assertSameBytes(await pixels(bytes), await pixels(await picture(64, 48)));
    assert.deepEqual(lines, ["info screenshots screenshot of Yaw step response, 64×48 to 64×48"]);
    const served = await one.call("GET", new URL(answer.url).pathname);
    assert.equal(served.headers.get("content-type"), "image/png");
    assertSameBytes(Buffer.from(await served.arrayBuffer()), bytes);
  });

  test(`${stage.name}: larger images are resized proportionally to 1568 px, 0 keeps the size, smaller ones stay`, async (t) => {
    const { one, room } = await openUnderTest(t, stage);
    // A tenth of the height takes a tenth of the time.
    const original = [2000, isLongRun ? 1000 : 100] as const;
    const large = await picture(...original);
    room.onShot = async ({ shotId }) => upload(one, shotId, large);
    const sizes = async (maxDimension?: number) => {
      const { width, height, originalWidth, originalHeight, scale } = await screenshotOf(
        await one.shoot({ maxDimension }),
      );
      assert.deepEqual([originalWidth, originalHeight], original);
      return [width, height, scale];
    };
    assert.deepEqual(await sizes(), [1568, isLongRun ? 784 : 78, 0.784]);
    assert.deepEqual(await sizes(0), [...original, 1]);
    assert.deepEqual(await sizes(2000), [...original, 1]);
    assert.deepEqual(await sizes(1), [1, 1, 0.0005]);
  });

  test(`${stage.name}: screenshots count for the quota of their owner: one too many is 409, and leaves no file`, async (t) => {
    const { one, other, kept, room } = await openUnderTest(t, stage, { maxBytes: 1_000 });
    const small = await picture(4, 4);
    room.onShot = async ({ shotId }) => upload(one, shotId, small);
    const { size } = await screenshotOf(await one.shoot({ name: "small" }));
    assert.ok(size < 1_000);
    room.onShot = async ({ shotId }) => upload(one, shotId, await picture(640, 480));
    assert.equal((await problemOf(await other.shoot({ name: "large" }))).code, "quota-reached");
    assert.deepEqual(await kept(), ["small-4x4.png"]);
  });

  test(`${stage.name}: a name that is taken gets a number, and no file is overwritten`, async (t) => {
    const { one, other, kept } = await openUnderTest(t, stage);
    const shots = Array.from({ length: 6 }, (_, n) => (n % 2 ? one : other).shoot({ tabId: "web", name: "same" }));
    const paths = await Promise.all(shots.map(async (shot) => (await screenshotOf(await shot)).path));
    const names = ["same-64x48.png", ...[2, 3, 4, 5, 6].map((n) => `same-${n}-64x48.png`)];
    assert.deepEqual(await kept(), names.toSorted());
    assert.deepEqual(paths.toSorted(), names.map((name) => `screenshots/${name}`).toSorted());
    const unnamed = await screenshotOf(await one.shoot({ tabId: "web" }));
    assert.equal(unnamed.path, "screenshots/webview-20260728-143000-64x48.png");
    assert.match((await screenshotOf(await one.shoot({}))).path, /^screenshots\/workspace-20260728-143000-64x48/);
  });

  test(`${stage.name}: Accept: image/png gives the bytes, inline a data URL`, async (t) => {
    const { one, folder } = await openUnderTest(t, stage);
    const response = await one.shoot({ name: "raw" }, { headers: { accept: "image/png" } });
    assert.equal(response.headers.get("content-type"), "image/png");
    const bytes = Buffer.from(await response.arrayBuffer());
    assertSameBytes(bytes, await readFile(join(folder, "raw-64x48.png")));
    const said = ["x-original-width", "x-original-height", "x-width", "x-height", "x-scale", "x-path"];
    assert.deepEqual(
      said.map((name) => response.headers.get(name)),
      ["64", "48", "64", "48", "1", "screenshots/raw-64x48.png"],
    );
    const { dataUrl = "" } = await screenshotOf(await one.shoot({ inline: true }));
    assertSameBytes(Buffer.from(dataUrl.replace("data:image/png;base64,", ""), "base64"), bytes);
  });

  test(`${stage.name}: a panel is chosen by panel id, tab id or both; scope and method have their defaults`, async (t) => {
    const { one, room } = await openUnderTest(t, stage);
    for (const body of [{ panelId: "left" }, { tabId: "web" }, { panelId: "left", tabId: "web" }]) {
      assert.equal((await screenshotOf(await one.shoot(body))).scope, "panel");
    }
    assert.equal((await screenshotOf(await one.shoot({}))).scope, "workspace");
    const orders = room.orders.map(({ scope, method, tabId }) => [scope, method, tabId]);
    assert.deepEqual(orders, [
      ...Array.from({ length: 3 }, () => ["panel", "element-capture", "web"]),
      ["workspace", "element-capture", null],
    ]);
  });

  test(`${stage.name}: html2canvas needs no sharing, and works on sandbox panels only`, async (t) => {
    const { one, room } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    const method = "html2canvas";
    assert.equal((await screenshotOf(await one.shoot({ panelId: "right", method }))).method, method);
    for (const body of [{ panelId: "left", method }, { method }, { scope: "screen", method }]) {
      const response = await one.shoot(body);
      assert.deepEqual([response.status, (await problemOf(response)).code], [400, "wrong-method"]);
    }
    room.browsers = [];
    assert.equal((await problemOf(await one.shoot({ tabId: "sand", method }))).code, "no-browser-session");
  });

  test(`${stage.name}: a target that cannot be captured is refused with the reason`, async (t) => {
    const { one, room, kept } = await openUnderTest(t, stage);
    const cases: [object, number, string, RegExp][] = [
      [{ panelId: "gone" }, 404, "panel-unknown", /gone/],
      [{ tabId: "gone" }, 404, "tab-unknown", /gone/],
      [{ panelId: "right", tabId: "web" }, 404, "tab-unknown", /left/],
      [{ tabId: "log" }, 409, "not-rendered", /PATCH .*tabs .*"active":true/],
      [{ scope: "panel" }, 422, "invalid-input", /panelId/],
      [{ scope: "house" }, 422, "invalid-input", /scope/],
      [{ maxDimension: -1 }, 422, "invalid-input", /maxDimension/],
      [{ maxDimension: "5" }, 422, "invalid-input", /maxDimension/],
      [{ waitForSharing: 301 }, 422, "invalid-input", /waitForSharing/],
      [{ reason: "x".repeat(301) }, 422, "invalid-input", /reason/],
      [{ name: "../out" }, 422, "invalid-input", /name/],
      [{ name: "con.a" }, 422, "file-name-refused", /device/],
      [{ format: "jpeg" }, 422, "invalid-input", /format/],
    ];
    for (const [body, status, code, detail] of cases) {
      const problem = await problemOf(await one.shoot(body));
      assert.deepEqual([problem.status, problem.code], [status, code]);
      assert.match(problem.detail ?? "", detail);
    }
    assert.deepEqual([room.orders, await kept()], [[], []]);
  });

  test(`${stage.name}: a browser's refusal becomes the matching problem`, async (t) => {
    const { one, room, kept } = await openUnderTest(t, stage);
    const told = async (answered: Awaited<ReturnType<typeof room.onShot>>) => {
      room.onShot = async () => answered;
      const { status, code } = await problemOf(await one.shoot({ tabId: "web" }));
      return [status, code];
    };
    const refused = { ok: false, reason: "refused", detail: "It is hidden." } as const;
    assert.deepEqual(await told({ ...refused, code: "not-rendered" }), [409, "not-rendered"]);
    assert.deepEqual(await told({ ...refused, code: "not-mounted" }), [409, "not-rendered"]);
    assert.deepEqual(await told({ ...refused, code: "shot-failed" }), [502, "shot-failed"]);
    assert.deepEqual(await told({ ...refused, code: "expired" }), [504, "browser-timeout"]);
    // Nothing is saved in either case, and the answer says so.
    for (const reason of ["unreached", "unknown"] as const) {
      assert.deepEqual(await told({ ok: false, reason }), [504, "browser-timeout"]);
    }
    assert.deepEqual(await told({ ok: false, reason: "busy" }), [429, "browser-busy"]);
    assert.deepEqual(await told({ ok: true, value: null }), [502, "shot-failed"]);
    room.browsers = [];
    assert.deepEqual(await told({ ok: true, value: null }), [409, "no-browser-session"]);
    assert.deepEqual(await kept(), []);
  });

  test(`${stage.name}: somebody else's workspace, no key, a key without the scope: nothing is taken, nothing is shown; a key that reads takes none`, async (t) => {
    const { one, room } = await openUnderTest(t, stage);
    const { url } = await screenshotOf(await one.shoot({ name: "mine" }));
    room.orders.length = 0;
    for (const [as, status, reading] of [
      ["Eve/agent", 403, 403],
      ["Eve/read", 403, 403],
      [null, 401, 401],
      ["Ada/none", 403, 403],
      ["Ada/read", 403, 200],
    ] as const) {
      assert.equal((await one.shoot({}, { as })).status, status, String(as));
      assert.equal((await one.call("GET", `${WORKSPACE}/screenshot`, { as })).status, reading, String(as));
      assert.equal((await one.call("GET", new URL(url).pathname, { as })).status, reading, String(as));
    }
    assert.deepEqual(room.orders, []);
    assert.equal((await one.call("GET", `${WORKSPACE}/screenshots/none-1x1.png`)).status, 404);
    assert.equal((await one.call("GET", `${WORKSPACE}/screenshots/..%2F..%2Fsecret.png`)).status, 400);
  });

  test(`${stage.name}: GET says whether a browser shares, and what can be captured`, async (t) => {
    const { one, room } = await openUnderTest(t, stage);
    const status = async () => (await one.call("GET", `${WORKSPACE}/screenshot`)).json();
    assert.deepEqual(await status(), {
      sharing: { active: true, displaySurface: "browser" },
      availableScopes: ["panel", "workspace"],
    });
    room.browsers = [browser(null), browser("monitor", "c")];
    assert.deepEqual(await status(), {
      sharing: { active: true, displaySurface: "monitor" },
      availableScopes: ["screen"],
    });
    const both = { active: true, displaySurface: "browser", surfaces: ["browser", "monitor"] } as const;
    room.browsers = [{ ...browser("browser"), sharing: { ...both, surfaces: [...both.surfaces] } }];
    assert.deepEqual(await status(), {
      sharing: { active: true, displaySurface: "browser" },
      availableScopes: ["panel", "workspace", "screen"],
    });
    room.browsers = [];
    assert.deepEqual(await status(), { sharing: { active: false, displaySurface: null }, availableScopes: [] });
  });
}

const pixels = async (png: Buffer): Promise<Buffer> => sharp(png).removeAlpha().raw().toBuffer();
