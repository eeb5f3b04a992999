import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { discover } from "./discovery.ts";
import { describe, startIssuer } from "./issuer.suite.ts";

const never = new AbortController().signal;

test("an issuer says where its endpoints are, and what it supports", async () => {
  await using issuer = await startIssuer(describe);
  assert.deepEqual(await discover(issuer.url, fetch, never), {
    kind: "found",
    authUrl: `${issuer.url}/auth`,
    tokenUrl: `${issuer.url}/token`,
    namesItself: true,
    wantsBasic: false,
    scopes: ["openid", "offline_access", "email"],
  });
  assert.deepEqual(issuer.paths, ["/.well-known/openid-configuration"]);
});

test("an issuer with a path is asked below that path, with one slash", async () => {
  await using issuer = await startIssuer((url) => describe(`${url}/realm/`));
  assert.equal((await discover(`${issuer.url}/realm/`, fetch, never)).kind, "found");
  assert.deepEqual(issuer.paths, ["/realm/.well-known/openid-configuration"]);
});

test("an issuer that lists no way to send the secret, or only the header, gets it in the header", async () => {
  for (const methods of [undefined, ["client_secret_basic", "private_key_jwt"]]) {
    await using issuer = await startIssuer((url) => ({
      ...describe(url),
      token_endpoint_auth_methods_supported: methods,
    }));
    const found = await discover(issuer.url, fetch, never);
    assert.equal(found.kind === "found" && found.wantsBasic, true);
  }
});

const FAULTS: [what: string, answer: (url: string, response: ServerResponse) => unknown, says: RegExp][] = [
  ["speaks for another issuer", () => describe("https://other.example"), /names https:\/\/other\.example, not http:/],
  ["names no issuer", (url) => ({ ...describe(url), issuer: 7 }), /does not name http:/],
  ["has no token endpoint", (url) => ({ ...describe(url), token_endpoint: undefined }), /no usable token_endpoint/],
  [
    "has an endpoint that is not a web address",
    (url) => ({ ...describe(url), authorization_endpoint: "javascript:alert(1)" }),
    /no usable authorization_endpoint/,
  ],
  ["is not JSON", () => "<html>", /is not a JSON object/],
  ["is a list", () => [], /is not a JSON object/],
  ["is endless", () => "x".repeat(300 * 1024), /is larger than 256 KiB/],
  ["does not exist", (_url, response) => void response.writeHead(404).end(), /answered 404/],
  [
    "redirects",
    (_url, response) => void response.writeHead(302, { location: "https://other.example" }).end(),
    /answered 302/,
  ],
];

for (const [what, answer, says] of FAULTS) {
  test(`a description that ${what} is refused`, async () => {
    await using issuer = await startIssuer(answer);
    const found = await discover(issuer.url, fetch, never);
    assert.match(found.kind === "fault" ? found.message : "found", says);
  });
}

test("an issuer with https never leads to an endpoint without https", async () => {
  const secure = "https://provider.example";
  const document = { ...describe(secure), token_endpoint: "http://provider.example/token" };
  const found = await discover(secure, async () => Response.json(document), never);
  assert.match(found.kind === "fault" ? found.message : "", /token_endpoint without https/);
});

test("Ctrl-C ends the request", async () => {
  await using issuer = await startIssuer(() => undefined);
  const stop = new AbortController();
  const asked = discover(issuer.url, fetch, stop.signal);
  stop.abort();
  await assert.rejects(asked, { name: "AbortError" });
});
