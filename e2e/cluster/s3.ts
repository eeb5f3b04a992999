import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type Service } from "../../scripts/services/index.ts";
import { ROOT } from "../support/backplane.ts";
import { startHttpService } from "./http-service.ts";

/** s3rver as a process of its own, which can go away and come back with its files. */
export async function startS3(): Promise<Service & { env: NodeJS.ProcessEnv }> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-s3-"));
  const port = await freePort();
  const server = join(ROOT, "node_modules/s3rver/bin/s3rver.js");
  const where = ["-d", join(folder, "data"), "-a", "127.0.0.1", "-p", String(port)];
  const args = [server, ...where, "--configure-bucket", "packages"];
  const service = await startHttpService({ name: "s3rver", port, command: process.execPath, args, folder });
  const env = {
    ARCHIVES_URL: "s3://packages/backplane",
    S3_ENDPOINT: service.url,
    S3_ACCESS_KEY_ID: "S3RVER",
    S3_SECRET_ACCESS_KEY: "S3RVER",
  };
  return { ...service, env };
}
