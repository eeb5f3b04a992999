import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCommand, nginx } from "../../scripts/services/find-or-install.ts";
import type { Service } from "../../scripts/services/index.ts";
import { startHttpService } from "./http-service.ts";

/** A port that nginx listens on, and the ports of the processes behind it. */
export type Site = { name: string; port: number; behind: readonly number[] };

/** nginx as an operator would set it up: one line per process, and the few settings that our guides ask for. */
export async function startNginx(sites: readonly [Site, ...Site[]]): Promise<Service> {
  const command = await findCommand(nginx);
  const folder = mkdtempSync(join(tmpdir(), "backplane-nginx-"));
  writeFileSync(join(folder, "nginx.conf"), configuration(sites));
  const args = ["-p", `${folder}/`, "-c", "nginx.conf", "-e", "stderr"];
  return startHttpService({ name: "nginx", port: sites[0].port, command, args, folder });
}

const configuration = (sites: readonly Site[]): string => `
daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`).join(" ")}
  map $http_upgrade $connection_upgrade { default upgrade; "" close; }
  client_max_body_size 0;
${sites.map(siteConfiguration).join("\n")}
}
`;

/**
 * A request that a process has seen is never sent to another one, except where HTTP calls its method safe to repeat. During
 * an upgrade, only processes of the same version have the files that a page names.
 */
const siteConfiguration = ({ name, port, behind }: Site): string => `
  upstream ${name} {
    ${behind.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join("\n    ")}
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location /assets/ {
      proxy_pass http://${name};
      proxy_set_header Host $http_host;
      proxy_next_upstream error timeout http_404;
    }
    location / {
      proxy_pass http://${name};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_connect_timeout 2s;
      proxy_read_timeout 60s;
    }
  }`;
