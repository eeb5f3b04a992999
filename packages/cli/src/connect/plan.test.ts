import assert from "node:assert/strict";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRefusal } from "../refusal.ts";
import { describe, startIssuer } from "./issuer.suite.ts";
import { type ConnectOptions, planConnection } from "./plan.ts";

const APP = { clientId: "client-1", clientSecret: "c4nary" };
const ENDPOINTS = { authUrl: "https://p.example/auth", tokenUrl: "https://p.example/token" };

async function plan(file: object | string, options: ConnectOptions = {}) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "plan-"));
  const credentials = join(folder.path, "app.json");
  writeFileSync(credentials, typeof file === "string" ? file : JSON.stringify(file));
  const context = { redirectUri: "http://localhost:8795/callback", fetch, signal: new AbortController().signal };
  return await planConnection("parts", { credentials, ...options }, { host: process, ...context, says() {} });
}

async function planned(file: object, options?: ConnectOptions) {
  const result = await plan(file, options);
  if (isRefusal(result)) assert.fail(result.message);
  return result;
}

async function refused(file: object | string, options?: ConnectOptions) {
  const result = await plan(file, options);
  assert.ok(isRefusal(result));
  return result;
}

test("a file with both endpoints is enough", async () => {
  const { authUrl, tokenUrl } = ENDPOINTS;
  const { clientId } = APP;
  assert.deepEqual(await planned({ ...APP, ...ENDPOINTS }), {
    request: { authUrl, clientId, scopes: "", extraParams: {}, issuer: undefined, requireIss: false },
    endpoint: { ...APP, tokenUrl, clientAuth: "post" },
    warnings: [],
  });
});

test("with an issuer the rest is looked up, and its answers must name it if it says that they do", async () => {
  await using issuer = await startIssuer(describe);
  const { request, endpoint } = await planned({ ...APP, issuer: issuer.url });
  const { authUrl, scopes, requireIss, extraParams } = request;
  assert.deepEqual([authUrl, endpoint.tokenUrl], [`${issuer.url}/auth`, `${issuer.url}/token`]);
  assert.equal(scopes, "openid offline_access");
  assert.equal(requireIss, true);
  assert.deepEqual(extraParams, { prompt: "consent" });
});

test("the command line wins over the file, and the file over the issuer", async () => {
  await using issuer = await startIssuer(describe);
  const file = {
    ...APP,
    issuer: "https://ignored.example",
    authUrl: "https://file.example/auth",
    scopes: "files",
    clientAuth: "basic",
    extraParams: { access_type: "online", hd: "example.org" },
  };
  const ofFile = await planned({ ...file, issuer: issuer.url });
  assert.deepEqual([ofFile.request.scopes, ofFile.endpoint.clientAuth], ["files", "basic"]);
  assert.deepEqual(ofFile.request.extraParams, file.extraParams);

  const param = { access_type: "offline" };
  const { request, endpoint } = await planned(file, { issuer: issuer.url, scopes: "mail", clientAuth: "post", param });
  assert.deepEqual([request.authUrl, endpoint.tokenUrl], ["https://file.example/auth", `${issuer.url}/token`]);
  assert.deepEqual([request.issuer, request.scopes, endpoint.clientAuth], [issuer.url, "mail", "post"]);
  assert.deepEqual(request.extraParams, { access_type: "offline", hd: "example.org" });
});

test("an app without a secret is a public client, whatever the issuer wants from others", async () => {
  const methods = ["client_secret_basic"];
  await using issuer = await startIssuer((url) => ({
    ...describe(url),
    token_endpoint_auth_methods_supported: methods,
  }));
  const { clientAuth: secretive } = (await planned({ ...APP, issuer: issuer.url })).endpoint;
  const { clientAuth, clientSecret } = (await planned({ clientId: "client-1", issuer: issuer.url })).endpoint;
  assert.deepEqual([secretive, clientAuth, clientSecret], ["basic", "post", undefined]);
});

test("a given prompt is not overridden", async () => {
  const file = { ...APP, ...ENDPOINTS, scopes: "openid offline_access" };
  assert.deepEqual((await planned(file, { param: { prompt: "login" } })).request.extraParams, { prompt: "login" });
  const inAddress = { authUrl: `${ENDPOINTS.authUrl}?prompt=login` };
  assert.deepEqual((await planned(file, inAddress)).request.extraParams, {});
});

test("it warns about a sign-in page without https, except on this machine", async () => {
  const warningsFor = async (authUrl: string) => (await planned({ ...APP, ...ENDPOINTS, authUrl })).warnings.join();
  assert.match(await warningsFor("http://keycloak:8080/auth"), /keycloak:8080\/auth is not encrypted/);
  assert.equal(await warningsFor("http://[::1]:1/auth"), "");
});

test("without credentials it says what to write to which file, and what to register", async () => {
  const { message, exit } = await refused({}, { credentials: "/nowhere/app.json" });
  assert.equal(exit, 2);
  assert.match(message, /redirect URI is http:\/\/localhost:8795\/callback/);
  assert.match(message, /to \/nowhere\/app\.json:\n\n\{\n {2}"clientId": /);
  assert.match(message, /Run: backplane connect parts --credentials \/nowhere\/app\.json/);
});

test("invalid credentials, and credentials without endpoints, are refused by field and without the secret", async () => {
  const incomplete = await refused(APP);
  assert.match(incomplete.message, /Add "issuer" to .*app\.json, or "authUrl" and "tokenUrl"/);
  const broken = await refused('{"clientSecret": "c4nary", ');
  const wrong = await refused({ clientSecret: "c4nary" });
  assert.match(wrong.message, /clientId is missing/);
  for (const { message, exit } of [incomplete, broken, wrong]) {
    assert.equal(exit, 2);
    assert.doesNotMatch(message, /c4nary/);
  }
});

test("an unreachable issuer is a failure, with a way around it", async () => {
  const { message, exit } = await refused({ ...APP, issuer: "http://127.0.0.1:1" });
  assert.equal(exit, 1);
  assert.match(message, /does not answer\.\nCheck the issuer, or give --auth-url and --token-url\./);
});
