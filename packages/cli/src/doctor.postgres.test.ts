import assert from "node:assert/strict";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrate, openDatabase } from "@backplane/kit/database";
import { joinInstances, migrations } from "@backplane/kit/instances";
import { createLog } from "@backplane/kit/log";
import { createTestDatabase } from "../../../scripts/services/index.ts";
import { untilAsserted } from "../../../scripts/testing/until.ts";
import { doctor } from "./doctor.ts";
import { runHere } from "./run-here.suite.ts";

test("doctor reports settings and clocks that do not suit several platforms", async () => {
  await using fresh = await createTestDatabase();
  await using stack = new AsyncDisposableStack();
  const database = await openDatabase<unknown>({ url: fresh.url, home: "/", onLostConnection: () => {} });
  stack.defer(() => database.close());
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-doctor-"));
  const findings = async () => {
    const host = { cwd: folder.path, env: { DATABASE_URL: fresh.url } };
    const look = () => runHere(host, (here) => doctor(Object.assign(here, { versions: process.versions }), {}));
    // A busy machine may need longer for an answer than doctor waits.
    return untilAsserted(async () => {
      const { stdout } = await look();
      assert.doesNotMatch(stdout, /PostgreSQL does not answer/);
      return stdout;
    });
  };
  assert.match(await findings(), /● instances +no platform runs on this database/);

  await migrate(database, migrations, () => 1);
  const log = createLog({ process: "test", level: "silent", destination: { write: () => {} } });
  const start = async (name: string, aheadMs: number) => {
    const self = { name, bus: "in-process", archives: name, version: aheadMs === 0 ? "0.2.0" : "0.1.0" };
    const instances = await joinInstances({ database, self, log, now: () => Date.now() + aheadMs });
    stack.defer(() => instances.close());
  };
  await start("one.example.org:8790", 0);
  assert.match(await findings(), /● instances +one\.example\.org:8790/);
  await start("two.example.org:8790", 60_000);
  const found = await findings();
  assert.match(found, /■ instances +2 platforms use this database, 2 of them without Redis/);
  assert.match(found, /■ instances +2 platforms use this database, but keep archives in 2 places/);
  assert.match(found, /■ instances +The clocks of 2 platforms differ by \d\d\.\d s; at most 2 s is safe/);
  assert.match(found, /◆ instances +two\.example\.org:8790 runs 0\.1\.0, while others run 0\.2\.0\n.*Update two/);
});
