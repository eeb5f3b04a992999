import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../scripts/services/index.ts";
import { keep } from "../../scripts/services/kept.ts";
import { createService, type Service } from "../../scripts/services/service.ts";
import { ROOT } from "../support/backplane.ts";

/** s3rver as a process of its own, which can go away and come back with its files. */
export async function startS3(): Promise<Service & { env: NodeJS.ProcessEnv }> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-s3-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ["-d", join(folder, "data"), "-a", "127.0.0.1", "-p", String(port), "--configure-bucket", "packages"];
  const service = createService({
    name: "s3rver",
    url,
    port,
    kept: keep({
      command: process.execPath,
      args: [join(ROOT, "node_modules/s3rver/bin/s3rver.js"), ...args],
      folder,
      endSignal: "SIGTERM",
    }),
    stopSignal: "SIGTERM",
    ping: async () => {
      await fetch(url, { signal: AbortSignal.timeout(2_000) });
    },
  });
  await service.start();
  const env = {
    ARCHIVES_URL: "s3://packages/backplane",
    S3_ENDPOINT: url,
    S3_ACCESS_KEY_ID: "S3RVER",
    S3_SECRET_ACCESS_KEY: "S3RVER",
  };
  return { ...service, env };
}
