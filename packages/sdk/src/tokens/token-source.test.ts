import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { OAuthError, type OAuthErrorCode } from "../errors.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { answerJson, rotating, startTokenEndpoint, type TokenCall } from "../testing/token-endpoint.ts";
import { createTokenSource } from "./token-source.ts";
import { openTokenStore } from "./token-store.ts";

const NOW_MS = Date.UTC(2030, 0, 1);

type Answer = (call: TokenCall, response: ServerResponse) => void;

/** Ada's stored tokens, and a provider with this answer. The test owns the clock. */
async function adasTokens(record: { refreshToken?: string; expiresAt: number } | undefined, answer: Answer) {
  const folder = scratchFolder();
  const store = openTokenStore({ folder: folder.path });
  const endpoint = await startTokenEndpoint(answer);
  if (record !== undefined) await store.write("example", "ada", { accessToken: "stored", ...record });
  const clock = { nowMs: NOW_MS };
  const options = {
    store,
    provider: "example",
    user: "ada",
    tokenUrl: endpoint.url,
    clientId: "client-1",
    clientSecret: "secret-1",
    now: () => clock.nowMs,
  };
  return {
    source: createTokenSource(options),
    options,
    clock,
    calls: endpoint.calls,
    folder: folder.path,
    stored: () => store.read("example", "ada"),
    async [Symbol.asyncDispose]() {
      await endpoint[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const failsWith = (work: Promise<unknown>, code: OAuthErrorCode) =>
  assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof OAuthError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });

const renewed: Answer = (_call, response) => answerJson(response, 200, { access_token: "new", expires_in: 3600 });

test("when a stored access token expires within 60000 ms (or has expired) and a refresh token exists, the client POSTs form fields client_id, client_secret, refresh_token, grant_type=refresh_token", async () => {
  for (const leftMs of [60_000, 1, 0, -1, -1e9]) {
    await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS + leftMs }, renewed);
    assert.equal(await ada.source.accessToken(), "new");
    assert.deepEqual(
      ada.calls.map(({ method, form }) => [method, form]),
      [
        [
          "POST",
          { client_id: "client-1", client_secret: "secret-1", refresh_token: "rt", grant_type: "refresh_token" },
        ],
      ],
    );
    assert.equal(ada.calls[0]?.headers["content-type"], "application/x-www-form-urlencoded");
  }
});

test("a token that lives longer is used as it is", async () => {
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS + 60_001 }, renewed);
  assert.equal(await ada.source.accessToken(), "stored");
  assert.deepEqual(ada.calls, []);
});

test("It then sets accessToken from access_token, expiresAt to now plus expires_in seconds", async () => {
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS }, renewed);
  await ada.source.accessToken();
  const { accessToken, refreshToken, expiresAt } = (await ada.stored()) ?? {};
  assert.deepEqual([accessToken, refreshToken, expiresAt], ["new", "rt", NOW_MS + 3_600_000]);
  assert.equal(await ada.source.accessToken(), "new");
  assert.equal(ada.calls.length, 1);
});

test("and replaces refreshToken when refresh_token is returned", async () => {
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS }, rotating("rt"));
  for (const expected of ["access-1", "access-2", "access-3"]) {
    assert.equal(await ada.source.accessToken(), expected);
    ada.clock.nowMs += 3_600_000;
  }
  assert.equal((await ada.stored())?.refreshToken, "rt-3");
});

test("Without a refresh token the client reports not connected", async () => {
  await using nothing = await adasTokens(undefined, renewed);
  await failsWith(nothing.source.accessToken(), "not-connected");
  for (const leftMs of [60_000, 0, -1]) {
    await using ada = await adasTokens({ expiresAt: NOW_MS + leftMs }, renewed);
    await failsWith(ada.source.accessToken(), "not-connected");
    assert.deepEqual(ada.calls, []);
  }
  await using fresh = await adasTokens({ expiresAt: NOW_MS + 60_001 }, renewed);
  assert.equal(await fresh.source.accessToken(), "stored");
});

test("a status route returning a boolean configured", async () => {
  const cases = [
    [undefined, false],
    [{ expiresAt: NOW_MS + 60_000 }, false],
    [{ expiresAt: NOW_MS + 60_001 }, true],
    [{ refreshToken: "rt", expiresAt: 0 }, true],
  ] as const;
  for (const [record, configured] of cases) {
    await using ada = await adasTokens(record, renewed);
    assert.deepEqual(await ada.source.status(), { configured });
  }
});

test("options that cannot work are refused at once, before a user is sent to the provider", async () => {
  await using ada = await adasTokens(undefined, renewed);
  const wrong = [
    [{ tokenUrl: "http://provider.example/token" }, "tokenUrl"],
    [{ clientId: "" }, "clientId"],
    [{ clientAuth: "basic", clientSecret: undefined }, "clientSecret"],
  ] as const;
  for (const [options, field] of wrong) {
    assert.throws(() => createTokenSource({ ...ada.options, ...options }), { code: "invalid-option", field });
  }
});

test("saving tokens makes it configured, without the ID token, and disconnecting forgets them", async () => {
  await using ada = await adasTokens(undefined, renewed);
  const tokens = {
    accessToken: "at",
    refreshToken: "rt",
    expiresAt: NOW_MS + 1e6,
    tokenType: "Bearer",
    idToken: "jwt",
  };
  await ada.source.save(tokens);
  const { idToken: _, ...kept } = tokens;
  assert.deepEqual(await ada.stored(), kept);
  assert.deepEqual(await ada.source.status(), { configured: true });
  await ada.source.disconnect();
  assert.deepEqual(await ada.source.status(), { configured: false });
});

test("invalid_grant means connecting again: the dead refresh token is removed and not tried again", async () => {
  const refuse: Answer = (_call, response) => answerJson(response, 400, { error: "invalid_grant" });
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS + 30_000 }, refuse);
  await failsWith(ada.source.accessToken(), "not-connected");
  await failsWith(ada.source.accessToken(), "not-connected");
  assert.equal(ada.calls.length, 1);
  assert.deepEqual(await ada.stored(), { accessToken: "stored", expiresAt: NOW_MS + 30_000 });
  assert.deepEqual(await ada.source.status(), { configured: false });
});

test("but only if the file still has the same refresh token", async () => {
  let saveTheirs = async () => {};
  const refuse: Answer = async (_call, response) => {
    await saveTheirs();
    answerJson(response, 400, { error: "invalid_grant" });
  };
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS }, refuse);
  const theirs = { accessToken: "theirs", refreshToken: "fresh", expiresAt: NOW_MS + 1e6 };
  saveTheirs = () => writeFile(join(ada.folder, "example.ada.json"), JSON.stringify(theirs));
  assert.equal(await ada.source.accessToken(), "theirs");
  assert.equal((await ada.stored())?.refreshToken, "fresh");
});

for (const [what, answer] of [
  ["500", (_call, response) => answerJson(response, 500, {})],
  ["429", (_call, response) => answerJson(response, 429, {})],
  ["a connection that breaks", (_call, response) => response.destroy()],
] as [string, Answer][]) {
  test(`${what} is temporary: the tokens are kept, and the access token used while it is valid`, async () => {
    await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS + 30_000 }, answer);
    assert.equal(await ada.source.accessToken(), "stored");
    ada.clock.nowMs += 30_000;
    await failsWith(ada.source.accessToken(), "temporary");
    assert.equal((await ada.stored())?.refreshToken, "rt");
    assert.deepEqual(await ada.source.status(), { configured: true });
  });
}

test("a provider that asks to wait is not called again before that", async () => {
  let status = 429;
  const answer: Answer = (_call, response) =>
    answerJson(response, status, { access_token: "new", expires_in: 3600 }, { "retry-after": "120" });
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS - 1 }, answer);
  await failsWith(ada.source.accessToken(), "temporary");
  ada.clock.nowMs += 119_000;
  await assert.rejects(ada.source.accessToken(), /asked to wait 1 s/);
  assert.equal(ada.calls.length, 1);
  status = 200;
  ada.clock.nowMs += 1_000;
  assert.equal(await ada.source.accessToken(), "new");
});

test("other refusals are passed on, and the tokens are kept", async () => {
  const refuse: Answer = (_call, response) => answerJson(response, 401, { error: "invalid_client" });
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS - 1 }, refuse);
  await failsWith(ada.source.accessToken(), "provider-error");
  assert.equal((await ada.stored())?.refreshToken, "rt");
});

test("callers in one process share one refresh, even through two sources", async () => {
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS }, rotating("rt"));
  const other = createTokenSource(ada.options);
  const asked = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ada.source : other).accessToken());
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(["access-1"]));
  assert.equal(ada.calls.length, 1);
});

test("after a failed refresh the next call tries again", async () => {
  let status = 500;
  const answer: Answer = (_call, response) => answerJson(response, status, { access_token: "new", expires_in: 3600 });
  await using ada = await adasTokens({ refreshToken: "rt", expiresAt: NOW_MS - 1 }, answer);
  await failsWith(ada.source.accessToken(), "temporary");
  status = 200;
  assert.equal(await ada.source.accessToken(), "new");
});
