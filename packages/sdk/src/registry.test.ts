import assert from "node:assert/strict";
import { test } from "node:test";
import { RegistryError } from "./errors.ts";
import {
  checkPackage,
  getPackage,
  publishPackage,
  searchPackages,
  setPackageStatus,
  setPackageVisibility,
  unpublishPackage,
} from "./registry.ts";
import { type Script, SESSION, sendJson, startScriptedPlatform } from "./sign-in/scripted-platform.suite.ts";

const answers =
  (status: number, body: unknown): Script =>
  ({ response }) =>
    sendJson(response, status, body);
const as = (url: string) => ({ baseUrl: url, sessionToken: SESSION });
const archive = new Blob(["PK"]);

const failsWith = async (work: Promise<unknown>, expected: Partial<RegistryError>) => {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof RegistryError);
    assert.ok(!error.message.includes(SESSION) && !JSON.stringify(error).includes(SESSION));
    for (const [name, value] of Object.entries(expected)) {
      assert.deepEqual(error[name as keyof RegistryError], value, name);
    }
    return true;
  });
};

test("an archive is sent unchanged, with the token, and with the organisation if one is given", async () => {
  const published = { identifier: "com.example.a", version: "1.0.0" };
  await using platform = await startScriptedPlatform(answers(201, published));
  assert.deepEqual(await publishPackage({ ...as(platform.url), archive, owner: "lab" }), published);
  const [call] = platform.calls;
  assert.equal(call?.what, "POST /registry/packages?owner=lab");
  assert.equal(call?.request.headers["content-type"], "application/zip");
  assert.equal(call?.request.headers["content-length"], "2");
  assert.equal(call?.request.headers.authorization, `Bearer ${SESSION}`);
});

test("a check says what it found", async () => {
  const checked = { publishable: false, notes: [{ level: "error", rule: "schema", message: "is missing" }] };
  await using platform = await startScriptedPlatform(answers(200, checked));
  assert.deepEqual(await checkPackage({ ...as(platform.url), archive }), checked);
  assert.equal(platform.calls[0]?.what, "POST /registry/packages?check=true");
});

test("a refusal has Backplane's text and code, every fault, and never the token", async () => {
  const errors = [{ pointer: "/license", message: "is not on the list" }, { nonsense: true }];
  const problem = { code: "metadata-refused", detail: `Faults with ${SESSION}.`, errors };
  await using platform = await startScriptedPlatform(answers(422, problem));
  await failsWith(publishPackage({ ...as(platform.url), archive }), {
    code: "refused",
    status: 422,
    problemCode: "metadata-refused",
    message: "Faults with ….",
    faults: [{ pointer: "/license", message: "is not on the list" }],
  });
});

test("an ended session, a busy server and a server that is not Backplane have different codes", async () => {
  for (const [status, code] of [
    [401, "not-signed-in"],
    [429, "temporary"],
    [503, "temporary"],
    [404, "refused"],
  ] as const) {
    await using platform = await startScriptedPlatform(answers(status, {}));
    await failsWith(publishPackage({ ...as(platform.url), archive }), { code, status });
  }
  await using other = await startScriptedPlatform(answers(200, "hello"));
  await failsWith(searchPackages({ baseUrl: other.url }), { code: "unexpected-answer" });
  await failsWith(searchPackages({ baseUrl: "http://127.0.0.1:1" }), { code: "unreachable", field: "baseUrl" });
  await failsWith(searchPackages({ baseUrl: "http://example.org" }), { code: "invalid-option", field: "baseUrl" });
  const stopped = AbortSignal.abort();
  await failsWith(searchPackages({ baseUrl: other.url, signal: stopped }), { code: "aborted" });
});

test("a search sends only the given options, and needs no token", async () => {
  await using platform = await startScriptedPlatform(answers(200, { total: 0, packages: [] }));
  await searchPackages({ baseUrl: platform.url });
  await searchPackages({ baseUrl: platform.url, query: "a&b", tool: { version: "9.0", platform: "linux" }, limit: 5 });
  assert.deepEqual(
    platform.calls.map(({ what }) => what),
    ["GET /registry/search", "GET /registry/search?q=a%26b&limit=5&tool=9.0&platform=linux"],
  );
  assert.equal(platform.calls[0]?.request.headers.authorization, undefined);
});

test("a package is published as private only if that is asked, and made public later", async () => {
  await using platform = await startScriptedPlatform(answers(201, { identifier: "a.b", version: "1.0.0" }));
  await publishPackage({ ...as(platform.url), archive, private: true });
  await setPackageVisibility({ ...as(platform.url), identifier: "a.b", private: false });
  assert.deepEqual(
    platform.calls.map(({ what }) => what),
    ["POST /registry/packages?private=true", "PATCH /registry/packages/a.b"],
  );
});

test("a version is unpublished at its own address, with the reason", async () => {
  await using platform = await startScriptedPlatform(answers(204, undefined));
  await unpublishPackage({ ...as(platform.url), identifier: "a.b", version: "1-2.3", reason: "Leaked." });
  assert.equal(platform.calls[0]?.what, "DELETE /registry/packages/a.b/versions/1-2.3");
});

test("a status is changed at the version's own address", async () => {
  await using platform = await startScriptedPlatform(answers(200, {}));
  await setPackageStatus({ ...as(platform.url), identifier: "a.b", version: "1-2.3", status: "deprecated" });
  assert.equal(platform.calls[0]?.what, "PATCH /registry/packages/a.b/versions/1-2.3");
  await failsWith(getPackage({ baseUrl: platform.url, identifier: "a/../b" }), { code: "unexpected-answer" });
  assert.equal(platform.calls[1]?.what, "GET /registry/packages/a%2F..%2Fb/details");
});
