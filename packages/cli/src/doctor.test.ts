import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../../scripts/services/index.ts";
import { backplane } from "./run-backplane.suite.ts";

test("doctor finds no fault in a new folder, as text and as JSON", async () => {
  // The defaults may be in use where this runs.
  const names = ["PLATFORM_PORT", "GATEWAY_PORT", "WATCHDOG_PORT", "VIEWER_PORT"];
  const ports = await Promise.all(names.map(() => freePort()));
  const env = Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
  const text = backplane(["doctor"], env);
  assert.equal(text.status, 0, text.stdout);
  assert.match(text.stdout, /● home folder .*writable/);
  const { ok, findings } = JSON.parse(backplane(["doctor", "--json"], env).stdout);
  assert.equal(ok, true);
  assert.ok(
    findings.some(({ check, says }: { check: string; says: string }) => check === "database" && /SQLite/.test(says)),
  );
});

test("doctor says why devices cannot connect: a port that is taken, a broker that does not answer", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const PLATFORM_PORT = String(await freePort());
  const busy = backplane(["doctor"], { PLATFORM_PORT, MQTT_PORT: String(port) });
  assert.match(busy.stdout, new RegExp(`devices +.*${port}.*another program`));
  const away = backplane(["doctor"], { PLATFORM_PORT, MQTT_URL: "mqtt://u:c4nary@127.0.0.1:1" });
  assert.match(away.stdout, /devices +No MQTT broker answers at mqtt:\/\/127\.0\.0\.1:1\./);
  assert.doesNotMatch(away.stdout, /c4nary/);
});

test("doctor reports a damaged database", (t) => {
  const home = mkdtempSync(join(tmpdir(), "backplane-doctor-"));
  t.after(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, "backplane.db"), "garbage ".repeat(1_000));
  const { status, stdout } = backplane(["doctor"], { BACKPLANE_HOME: home });
  assert.equal(status, 1);
  assert.match(stdout, /■ database +The database .*backplane\.db is damaged .* Restore it from a backup/);
});

test("doctor reports every fault with its fix, and no password", () => {
  const settings = backplane(["doctor"], { GATEWAY_PORT: "x", DATABASE_URL: "mysql://u:c4nary@h" });
  assert.equal(settings.status, 1);
  assert.match(settings.stdout, /■ GATEWAY_PORT/);
  assert.match(settings.stdout, /■ DATABASE_URL/);
  const services = backplane(["doctor"], {
    DATABASE_URL: "postgres://u:c4nary@127.0.0.1:1/x",
    REDIS_URL: "redis://:c4nary@127.0.0.1:1",
    BACKPLANE_HOME: "/dev/null/x",
  });
  assert.equal(services.status, 1);
  for (const check of ["database", "message bus", "home folder"])
    assert.match(services.stdout, new RegExp(`■ ${check}`));
  assert.doesNotMatch(settings.stdout + services.stdout + services.stderr, /c4nary/);
});
