import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Database, migrate } from "@backplane/kit/database";
import { migrations } from "../../migrations.ts";
import type { PanelsTables } from "../../tables.ts";
import { createPasses, readSecret } from "./passes.ts";

/** Fresh tables; each call opens them once more, as another instance does. */
export type OpenTables = (t: TestContext) => Promise<() => Promise<Database<PanelsTables>>>;

export function testSecret(engine: string, open: OpenTables): void {
  test(`${engine}: instances that start together share one secret and accept each other's passes`, async (t) => {
    const connect = await open(t);
    const databases = await Promise.all([connect(), connect(), connect()]);
    for (const database of databases) await migrate(database as Database<unknown>, migrations, () => 1);
    const secrets = await Promise.all(databases.flatMap((database) => [readSecret(database), readSecret(database)]));
    assert.equal(new Set(secrets.map((secret) => secret.toString("hex"))).size, 1);
    assert.equal(secrets[0]?.length, 32);

    const [one, other] = secrets.map((secret) =>
      createPasses({ secret, now: () => 1_000, limits: { enterLifeMs: 60, stayLifeMs: 600 } }),
    );
    assert.ok(one && other);
    const access = { userId: "u", ownerId: "o", kind: "Browser", credentialId: "s" } as const;
    const visit = { workspaceId: "w", access, site: "https://example.org" };
    const label = one.labelOf(visit);
    assert.equal(other.labelOf(visit), label);
    const pass = other.read(one.enter(visit), "enter", label);
    assert.deepEqual(pass, { ...visit, kind: "enter", expiresAtMs: 1_060, staysUntilMs: 1_600 });
    assert.equal(other.read(one.enter(visit), "stay", label), undefined);
    assert.equal(other.read(one.stay(pass), "stay", label)?.expiresAtMs, 1_600);
    assert.equal(other.read(one.stay(pass), "enter", label), undefined);
    for (const text of ["", ".", "a.b", "x".repeat(10_000), `${one.enter(visit)}x`.replace(/^./, "_")]) {
      assert.equal(other.read(text, "enter", label), undefined);
    }
  });
}
