import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { OAuthError } from "../errors.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { readCredentials } from "./credentials.ts";

async function faultOf(content: string): Promise<OAuthError> {
  using folder = scratchFolder();
  const path = join(folder.path, "google.json");
  writeFileSync(path, content);
  const error = await readCredentials(path).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof OAuthError, String(error));
  assert.deepEqual([error.code, error.path], ["credentials-unreadable", path]);
  assert.ok(error.message.includes(path));
  return error;
}

test("Bundled app credentials: a JSON file with clientId and clientSecret", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "google.json");
  writeFileSync(path, JSON.stringify({ clientId: "id", clientSecret: "secret", note: "kept out" }));
  assert.deepEqual(await readCredentials(path), { clientId: "id", clientSecret: "secret" });
  const full = {
    clientId: "id",
    clientSecret: "secret",
    authUrl: "https://provider.example/authorize",
    tokenUrl: "https://provider.example/token",
    issuer: "https://provider.example",
    scopes: "a b",
    clientAuth: "basic",
    extraParams: { access_type: "offline" },
  };
  writeFileSync(path, JSON.stringify(full));
  assert.deepEqual(await readCredentials(path), full);
});

test("a public client has no secret", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "google.json");
  writeFileSync(path, JSON.stringify({ clientId: "id" }));
  assert.deepEqual(await readCredentials(path), { clientId: "id" });
});

test("all faults of the file are reported at once, by field", async () => {
  const { message, field } = await faultOf(
    '{"clientSecret": "", "scopes": ["a"], "clientAuth": "jwt", "extraParams": {"max_age": 7}}',
  );
  assert.match(
    message,
    /: clientId is missing, clientSecret is not a string, scopes is not a string, clientAuth is neither post nor basic, extraParams is not an object of strings\./,
  );
  assert.equal(field, "clientId");
});

test("clientAuth basic needs a secret", async () => {
  assert.equal((await faultOf('{"clientId": "id", "clientAuth": "basic"}')).field, "clientSecret");
});

test("a file that is missing or not a JSON object is named, and its content is not repeated", async () => {
  for (const content of ["", "[]", "null", '"hunter2"', '{"clientSecret": "hunter2",}']) {
    const error = await faultOf(content);
    assert.match(error.message, /the file is not a JSON object/);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2/);
  }
  await assert.rejects(readCredentials("/nowhere/google.json"), /\/nowhere\/google\.json .*\(ENOENT\)/);
});
