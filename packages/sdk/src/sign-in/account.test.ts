import assert from "node:assert/strict";
import { test } from "node:test";
import { endSession, getUser, listSessions, signOut } from "./account.ts";
import { type Script, SESSION, sendJson, startScriptedPlatform } from "./scripted-platform.suite.ts";
import { failsWith } from "./sign-in-setup.suite.ts";

const USER = {
  id: "u-1",
  name: "ada",
  display_name: "Ada Lovelace",
  email: "ada@example.org",
  is_owner: true,
  organisations: [{ name: "lab", role: "owner" }],
  invitations: [{ name: "club", role: "member" }],
  session: {
    id: "s-1",
    kind: "Application",
    name: "bench",
    created_at: "2026-01-01T00:00:00Z",
    expires_at: "2026-04-01T00:00:00Z",
    scopes: ["read"],
  },
};

const ROW = {
  id: "s-1",
  kind: "Application",
  name: "bench",
  program: "Linux, Node 24",
  address: "127.0.0.1",
  created_at: "2026-01-01T00:00:00Z",
  last_used_at: "2026-01-02T00:00:00Z",
  expires_at: "2026-04-01T00:00:00Z",
  current: true,
  refused: null,
};

const as = (url: string) => ({ baseUrl: url, sessionToken: SESSION });
const answers =
  (status: number, body: unknown): Script =>
  ({ response }) =>
    sendJson(response, status, body);

test("the token is sent as Authorization: Bearer, and the answer is the user", async () => {
  await using platform = await startScriptedPlatform(answers(200, USER));
  assert.deepEqual(await getUser(as(platform.url)), {
    id: "u-1",
    name: "ada",
    displayName: "Ada Lovelace",
    email: "ada@example.org",
    organisations: [{ name: "lab", role: "owner" }],
    invitations: [{ name: "club", role: "member" }],
    session: { id: "s-1", kind: "Application", name: "bench", expiresAt: Date.parse("2026-04-01T00:00:00Z") },
  });
  const [call] = platform.calls;
  assert.deepEqual([call?.what, call?.request.headers.authorization], ["GET /user", `Bearer ${SESSION}`]);
});

test("an API key has no expiry", async () => {
  const session = { ...USER.session, kind: "ApiKey", expires_at: null };
  await using platform = await startScriptedPlatform(answers(200, { ...USER, session }));
  assert.equal((await getUser(as(platform.url))).session.expiresAt, undefined);
});

test("sessions are listed and ended by their id", async () => {
  await using platform = await startScriptedPlatform((call) => {
    if (call.request.method === "GET")
      sendJson(call.response, 200, { sessions: [ROW, { ...ROW, id: "s-2", program: null, current: false }] });
    else call.response.writeHead(204).end();
  });
  const sessions = await listSessions(as(platform.url));
  assert.deepEqual(
    sessions.map(({ id, isCurrent, program }) => [id, isCurrent, program]),
    [
      ["s-1", true, "Linux, Node 24"],
      ["s-2", false, undefined],
    ],
  );
  await endSession({ ...as(platform.url), id: "a/b" });
  assert.equal(platform.calls.at(-1)?.what, "DELETE /auth/sessions/a%2Fb");
});

test("a session that has ended is `not-signed-in`, and signing it out is not a failure", async () => {
  await using platform = await startScriptedPlatform(answers(401, { code: "not-signed-in", detail: SESSION }));
  await assert.rejects(getUser(as(platform.url)), failsWith("not-signed-in", { problemCode: "not-signed-in" }));
  await assert.rejects(listSessions(as(platform.url)), failsWith("not-signed-in"));
  await signOut(as(platform.url));
});

test("every other failure has its code", async () => {
  for (const [script, code] of [
    [answers(200, {}), "unexpected-answer"],
    [answers(200, { ...USER, session: { ...USER.session, expires_at: "soon" } }), "unexpected-answer"],
    [answers(403, { code: "scope-missing", detail: `No ${SESSION}` }), "refused"],
    [answers(503, {}), "temporary"],
    [({ response }: { response: { destroy(): unknown } }) => response.destroy(), "unreachable"],
  ] as const) {
    await using platform = await startScriptedPlatform(script as Script);
    await assert.rejects(getUser(as(platform.url)), failsWith(code));
  }
  await assert.rejects(getUser({ baseUrl: "http://localhost:1", sessionToken: "a\nb" }), failsWith("invalid-option"));
  await assert.rejects(getUser({ ...as("http://localhost:1"), signal: AbortSignal.abort() }), failsWith("aborted"));
});

test("a redirect is not followed, so the token goes nowhere else", async () => {
  await using elsewhere = await startScriptedPlatform(answers(200, USER));
  await using platform = await startScriptedPlatform(({ response }) => {
    response.writeHead(302, { location: `${elsewhere.url}/user` }).end();
  });
  await assert.rejects(getUser(as(platform.url)), failsWith("unexpected-answer", { status: 302 }));
  assert.equal(elsewhere.calls.length, 0);
});
