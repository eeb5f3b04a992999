import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Service } from "../../scripts/services/index.ts";
import { PUBLIC } from "../hosting/public-names.ts";
import { type Behind, shippedNginx, withoutTls } from "../hosting/shipped.ts";
import { startNginx } from "../hosting/start-proxy.ts";

export type Front = { port: number; gatewayPort: number } & Omit<Behind, "viewer">;

/** nginx with the configuration that we ship, without TLS and without the viewer. */
export async function startFront({ port, gatewayPort, ...behind }: Front): Promise<Service & { folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-nginx-"));
  const ports: Record<string, number> = { [PUBLIC.platform]: port, [PUBLIC.gateway]: gatewayPort };
  const files = shippedNginx(folder, { ...behind, viewer: port }, (name, isTls) =>
    isTls && ports[name] !== undefined ? `127.0.0.1:${ports[name]} backlog=1024` : undefined,
  );
  const { "conf.d/backplane.viewer.conf": _viewer, ...front } = withoutTls(files);
  // As it is asked for here: nginx sends files of its own by this name only.
  const named =
    front["conf.d/backplane.conf"]?.replace(`server_name ${PUBLIC.platform};`, "server_name 127.0.0.1;") ?? "";
  return Object.assign(await startNginx(folder, port, { ...front, "conf.d/backplane.conf": named }), { folder });
}
