import assert from "node:assert/strict";
import { pbkdf2 } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { readSettings } from "@backplane/kit/settings";
import { freePort } from "../../../scripts/services/index.ts";
import { until } from "../../../scripts/testing/until.ts";
import { readServerFile } from "./pastes/storage/server-file.ts";
import { serveViewerProcess } from "./serve-viewer-process.ts";

/** Of libuv, which read and write files. */
const THREADS = 4;
/** Tens of milliseconds. */
const ITERATIONS = 50_000;

/** Files are read and written slowly, as on a busy machine. */
function keepThreadsBusy(signal: AbortSignal): void {
  const hash = promisify(pbkdf2);
  const work = async () => {
    while (!signal.aborted) await hash("password", "salt", ITERATIONS, 64, "sha512");
  };
  for (let thread = 0; thread < THREADS; thread += 1) void work();
}

test("a viewer is ready once programs of this machine can find it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "viewer-process-"));
  t.after(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const settings = readSettings({ VIEWER_PROJECT: folder, BACKPLANE_HOME: folder, VIEWER_PORT: `${port}` }, folder);
  const log = createLog({ process: "viewer", level: "silent", destination: { write: () => {} } });
  const context = {
    ...{ settings, log, metrics: createMetrics("viewer"), apiKey: undefined, fetch },
    ...{ isDraining: () => false, tellParent: () => {}, processesDown: () => [] },
  };
  const busy = new AbortController();
  t.after(() => busy.abort());
  keepThreadsBusy(busy.signal);
  const starting = serveViewerProcess(context, { port });
  t.after(async () => (await starting).stop());
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/ready`)).status;
  await until("it is ready", async () => (await ready().catch(() => 0)) === 200);
  busy.abort();
  assert.equal((await readServerFile(folder))?.pid, process.pid);
});
