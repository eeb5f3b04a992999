import { canInstall, install } from "../../scripts/services/apt.ts";
import { findProgram } from "../../scripts/services/on-path.ts";
import type { ServerOptions } from "../harness/server.ts";

const PACKAGE = "nginx-light";

export type FoundNginx = { program: string } | { missing: string };

/** Found, else installed, else a sentence that says why not. */
export async function findNginx(): Promise<FoundNginx> {
  const find = () => findProgram(["nginx"], ["/usr/sbin"]);
  let fault = "";
  if (find() === undefined && canInstall()) {
    await install([PACKAGE]).catch((error: unknown) => {
      fault = ` ${error instanceof Error ? error.message : String(error)}`;
    });
  }
  const program = find();
  if (program !== undefined) return { program };
  return {
    missing: `nginx is not installed, so it is left out. Install it (Debian: apt-get install ${PACKAGE}).${fault}`,
  };
}

/** nginx with this file at /registry/packages.json. */
export const nginxWith = (program: string, text: string): ServerOptions => ({
  label: "nginx",
  command: program,
  args: () => ["-p", "./", "-c", "nginx.conf", "-e", "stderr"],
  files: (port) => ({ "nginx.conf": configuration(port), "packages.json": text }),
  readyUrl: (port) => `http://127.0.0.1:${port}/ready`,
});

/** One worker, because we have one thread, with the usual settings for fast files. Its worker must read a private folder. */
const configuration = (port: number): string => `
daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=100;
  types { application/json json; }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    root .;
    location = /ready { return 204; }
    location = /registry/packages.json { alias packages.json; }
  }
}
`;
