import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { caddy, findCommand, nginx } from "../../scripts/services/find-or-install.ts";
import type { Service } from "../../scripts/services/index.ts";
import { startHttpService } from "../cluster/http-service.ts";
import { type Behind, shippedCaddy, shippedNginx } from "./shipped.ts";

export const PROXIES = ["nginx", "Caddy"] as const;
export type ProxyName = (typeof PROXIES)[number];

/** Who may use the viewer through the proxy. */
export const PERSON = { username: "ann", password: "a sentence for the viewer" } as const;

export type ProxyOptions = {
  /** Has backplane.crt and backplane.key. */
  folder: string;
  behind: Behind;
  ports: { http: number; https: number };
  viewerToken: string;
};

/** The proxy with the files that we ship, as an operator would set it up. */
export const startProxy = (name: ProxyName, options: ProxyOptions): Promise<Service> =>
  name === "nginx" ? startShippedNginx(options) : startShippedCaddy(options);

async function startShippedNginx({ folder, behind, ports, viewerToken }: ProxyOptions): Promise<Service> {
  const files = shippedNginx(folder, behind, (_name, isTls) =>
    isTls ? `127.0.0.1:${ports.https} ssl http2` : `127.0.0.1:${ports.http}`,
  );
  const hashed = execFileSync("openssl", ["passwd", "-6", PERSON.password], { encoding: "utf8" }).trim();
  return startNginx(folder, ports.http, {
    ...files,
    "backplane-viewer-token.conf": `set $backplane_viewer_token "${viewerToken}";\n`,
    "backplane-people": `${PERSON.username}:${hashed}\n`,
  });
}

/** What Debian's nginx.conf has around conf.d, for a process that a test keeps. */
export async function startNginx(folder: string, port: number, files: Record<string, string>): Promise<Service> {
  const command = await findCommand(nginx);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
  const main = `daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  ${temporary.join(" ")}
  sendfile on;
  tcp_nopush on;
  include conf.d/*.conf;
}
`;
  writeFiles(folder, { ...files, "nginx.conf": main });
  const args = ["-p", `${folder}/`, "-c", "nginx.conf", "-e", "stderr"];
  return startHttpService({ name: "nginx", port, command, args, folder });
}

async function startShippedCaddy({ folder, behind, ports, viewerToken }: ProxyOptions): Promise<Service> {
  const command = await findCommand(caddy);
  const env = { ...process.env, HOME: folder };
  const hashed = execFileSync(command, ["hash-password", "--plaintext", PERSON.password], { env, encoding: "utf8" });
  writeFiles(folder, {
    ...shippedCaddy(folder, behind, ports),
    "backplane-people": `${PERSON.username} ${hashed}`,
    "backplane-viewer-token": `request_header @people Authorization "Bearer ${viewerToken}"\n`,
  });
  const args = ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
  return startHttpService({ name: "Caddy", port: ports.http, command, args, folder });
}

function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
