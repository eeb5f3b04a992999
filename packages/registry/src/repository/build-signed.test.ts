import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sampleArchive } from "../archives/samples.suite.ts";
import { newSigningKey, publicKeyOf } from "../signing/keys.ts";
import { SIGNING_LIMITS, type TrustedIndex } from "../signing/signed-index.ts";
import { verifyIndex } from "../signing/verify.ts";
import { assertConsistent } from "./consistent.suite.ts";
import { NOW_MS, shaOf, Workspace } from "./workspace.suite.ts";

const signingKey = newSigningKey();
const DAY_MS = 86_400_000;

function visit(workspace: Workspace, trusted?: TrustedIndex, atMs = NOW_MS) {
  const verified = verifyIndex(workspace.json("repository.json"), { trusted, brand: "tool", nowS: atMs / 1_000 });
  assert.ok("statement" in verified, JSON.stringify(verified));
  return verified;
}

function workspaceWith(...versions: string[]): Workspace {
  const workspace = new Workspace();
  for (const version of versions) workspace.put(`${version}.zip`, sampleArchive({ version }));
  return workspace;
}

describe("a signed repository", () => {
  test("the statement names the bytes of the three files, and older clients still read repository.json", async () => {
    using workspace = workspaceWith("1.0");
    await workspace.built({ signingKey });
    const { statement } = visit(workspace);
    for (const [file, name] of [
      [statement.packages, "packages.json"],
      [statement.resources, "resources.zip"],
      [statement.manifests, "manifests.json"],
    ] as const) {
      const bytes = workspace.read(name);
      assert.deepEqual(file, { sha256: shaOf(bytes), size: bytes.length });
    }
    assertConsistent(workspace.out);
    assert.ok(workspace.read("repository.json").length < 20_480);
  });

  test("without changes the bytes stay the same, until it is time to renew", async () => {
    using workspace = workspaceWith("1.0");
    await workspace.built({ signingKey });
    const before = workspace.read("repository.json");
    await workspace.built({ signingKey, now: () => NOW_MS + SIGNING_LIMITS.renewAfterS * 1_000 - 1_000 });
    assert.deepEqual(workspace.read("repository.json"), before);
    const { trust } = visit(workspace);
    const later = NOW_MS + SIGNING_LIMITS.renewAfterS * 1_000;
    await workspace.built({ signingKey, now: () => later });
    const renewed = visit(workspace, trust, later);
    assert.ok(renewed.statement.counter > trust.counter);
    assert.deepEqual(renewed.statement.expires, later / 1_000 + SIGNING_LIMITS.lifeS);
  });

  test("the counter grows with every change, also within a second, with a clock that went back, and in a new folder", async () => {
    using workspace = workspaceWith("1.0");
    await workspace.built({ signingKey });
    let { trust } = visit(workspace);
    for (const [version, back] of [
      ["1.1", 0],
      ["1.2", 2_000],
    ] as const) {
      workspace.put(`${version}.zip`, sampleArchive({ version }));
      await workspace.built({ signingKey, now: () => NOW_MS - back });
      const next = visit(workspace, trust);
      assert.ok(next.trust.counter > trust.counter);
      trust = next.trust;
    }
    using elsewhere = workspaceWith("1.0");
    await elsewhere.built({ signingKey, now: () => NOW_MS + DAY_MS });
    visit(elsewhere, trust, NOW_MS + DAY_MS);
  });

  test("a new key takes over when the old one signs as well", async () => {
    using workspace = workspaceWith("1.0");
    await workspace.built({ signingKey });
    const { trust } = visit(workspace);
    const next = newSigningKey();
    await workspace.built({ signingKey: next, oldKeys: [signingKey] });
    const rotated = visit(workspace, trust);
    assert.deepEqual(rotated.trust.keys, [publicKeyOf(next)]);
    await workspace.built({ signingKey: next });
    visit(workspace, rotated.trust);
  });

  test("a longer life is renewed later in proportion", async () => {
    using workspace = workspaceWith("1.0");
    const lifeS = 70 * 24 * 3_600;
    await workspace.built({ signingKey, lifeS });
    const before = workspace.read("repository.json");
    await workspace.built({ signingKey, lifeS, now: () => NOW_MS + 9 * DAY_MS });
    assert.deepEqual(workspace.read("repository.json"), before);
    await workspace.built({ signingKey, lifeS, now: () => NOW_MS + 10 * DAY_MS });
    assert.notDeepEqual(workspace.read("repository.json"), before);
  });

  test("no byte of any file can change unnoticed", async () => {
    using workspace = workspaceWith("1.0");
    await workspace.built({ signingKey });
    const { statement, trust } = visit(workspace);
    for (const [name, part] of Object.entries({
      "packages.json": "packages",
      "resources.zip": "resources",
      "manifests.json": "manifests",
    })) {
      const bytes = workspace.read(name);
      for (let at = 0; at < bytes.length; at++) {
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        assert.notEqual(shaOf(bytes), statement[part as "packages"]?.sha256);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
      }
    }
    const text = workspace.read("repository.json");
    for (let at = 0; at < text.length; at++) {
      const changed = Buffer.from(text);
      changed[at] = (changed[at] ?? 0) ^ 1;
      let value: Record<string, unknown>;
      try {
        value = JSON.parse(changed.toString()) as Record<string, unknown>;
      } catch {
        continue;
      }
      const verified = verifyIndex(value, { trusted: trust, nowS: NOW_MS / 1_000 });
      if ("statement" in verified) assert.deepEqual(verified.statement, statement);
      assert.ok(!("unsigned" in verified));
    }
  });
});
