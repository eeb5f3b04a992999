import { existsSync } from "node:fs";
import { canInstall, install } from "../../scripts/services/apt.ts";
import { findProgram } from "../../scripts/services/on-path.ts";
import type { Contestant } from "./contestant.ts";
import { openFileLimit } from "./open-files.ts";

/** Where Debian and Ubuntu put them; the folder of the program is not on everybody's PATH. */
const PROGRAM_FOLDER = "/usr/sbin";
const MODULE = "/usr/lib/nginx/modules/ngx_nchan_module.so";
const PACKAGES = ["nginx-light", "libnginx-mod-nchan"];

/** Twice what is needed: nginx ends connections that are being set up when a sixteenth of these is left. */
const CONNECTIONS = 40_000;

export type FoundNchan = { contestant: Contestant } | { missing: string };

/** nginx with nchan, a message queue in C: found, else installed, else a sentence that says why not. */
export async function findNchan(): Promise<FoundNchan> {
  let program = findNginx();
  let fault = "";
  if (program === undefined && canInstall()) {
    try {
      await install(PACKAGES);
    } catch (error) {
      fault = ` ${error instanceof Error ? error.message : String(error)}`;
    }
    program = findNginx();
  }
  if (program !== undefined) return { contestant: nchanAt(program) };
  const how = `Install it (Debian: apt-get install ${PACKAGES.join(" ")}) or run this as root.`;
  return { missing: `nginx with nchan is not installed, so it is left out. ${how}${fault}` };
}

function findNginx(): string | undefined {
  return existsSync(MODULE) ? findProgram(["nginx"], [PROGRAM_FOLDER]) : undefined;
}

function nchanAt(program: string): Contestant {
  return {
    label: "nchan",
    dialect: "nchan",
    servers: [
      {
        label: "nchan",
        command: program,
        // Errors go to the log of the bench: only root can write the default file.
        args: () => ["-p", "./", "-c", "nginx.conf", "-e", "stderr"],
        files: (port) => ({ "nginx.conf": configuration(port) }),
        readyUrl: (port) => `http://127.0.0.1:${port}/ready`,
      },
    ],
  };
}

/** One worker, because the others have one thread; one channel per state, and no stored messages, as in the others. */
function configuration(port: number): string {
  return `
daemon off;
load_module ${MODULE};
worker_processes 1;
worker_rlimit_nofile ${Math.min(CONNECTIONS, openFileLimit())};
pid nginx.pid;
error_log stderr warn;
events { worker_connections ${CONNECTIONS}; }
http {
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 300s;
  nchan_shared_memory_size 256M;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /ready { return 204; }
    location = /subscribe {
      nchan_subscriber websocket eventsource;
      nchan_channel_id $arg_state;
      nchan_store_messages off;
    }
    location = /publish {
      nchan_publisher http;
      nchan_channel_id $arg_state;
      nchan_store_messages off;
    }
  }
}
`;
}
