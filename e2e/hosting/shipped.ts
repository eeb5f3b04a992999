import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/backplane.ts";

/** Ports on this machine instead of the addresses in the shipped files. */
export type Behind = { platforms: readonly number[]; gateways: readonly number[]; viewer: number };

const readShipped = (name: string): string => readFileSync(join(ROOT, "hosting", name), "utf8");

/** As an operator edits it. What is not there cannot be replaced, so the shipped file has not changed. */
function edit(text: string, what: RegExp, by: string | ((...found: string[]) => string)): string {
  assert.match(text, what);
  return typeof by === "string" ? text.replace(what, () => by) : text.replace(what, by);
}

/** One line per process, each with the options of the shipped line. */
const editUpstream = (text: string, name: string, ports: readonly number[]): string =>
  edit(text, new RegExp(`(upstream ${name} \\{\\n)  server \\S+?(| [^;]+);\\n`), (_all, head = "", options = "") =>
    [head, ...ports.map((port) => `  server 127.0.0.1:${port}${options};\n`)].join(""),
  );

type Listen = (
  /** The first of its names. */
  serverName: string,
  isTls: boolean,
) => string | undefined;

/** Each server listens elsewhere; undefined leaves it out. */
function editServers(text: string, listen: Listen): string {
  return text.replace(/^server \{\n.*?^\}\n/gms, (server) => {
    const [, name] = /server_name (\S+?)[ ;]/.exec(server) ?? [];
    if (name === undefined) return server;
    const at = listen(name, server.includes(" ssl"));
    if (at === undefined) return "";
    return edit(server, /^ {2}listen .*?;\n {2}listen .*?;\n/m, `  listen ${at};\n`);
  });
}

/** The files of nginx by their names below its folder. */
export function shippedNginx(folder: string, behind: Behind, listen: Listen): Record<string, string> {
  let servers = editServers(readShipped("nginx.conf"), listen);
  servers = edit(servers, /\/var\/cache\/backplane-nginx/g, `${folder}/cache`);
  servers = edit(servers, /\/srv\/backplane\/indexes\//, `${folder}/indexes/`);
  servers = edit(servers, /127\.0\.0\.1:8789/g, `unix:${folder}/changes.sock`);
  servers = editUpstream(servers, "backplane_platforms", behind.platforms);
  servers = editUpstream(servers, "backplane_gateways", behind.gateways);
  const viewer = editServers(readShipped("nginx-viewer.conf"), listen);
  const proxy = edit(readShipped("nginx-proxy.conf"), /\/etc\/ssl\/backplane\//g, `${folder}/`);
  return {
    "conf.d/backplane.conf": servers,
    "conf.d/backplane.viewer.conf": editUpstream(viewer, "backplane_viewer", [behind.viewer]),
    "backplane-proxy.conf": edit(proxy, /\/var\/log\/nginx\//g, `${folder}/`),
  };
}

/** Without TLS, for those who do not test that. */
export const withoutTls = (files: Record<string, string>): Record<string, string> => ({
  ...files,
  "backplane-proxy.conf": edit(files["backplane-proxy.conf"] ?? "", /^ssl_.*\n/gm, ""),
});

/** The files of Caddy by their names below its folder. */
export function shippedCaddy(
  folder: string,
  behind: Behind,
  ports: { http: number; https: number },
): Record<string, string> {
  const all = (each: readonly number[]) => each.map((port) => `127.0.0.1:${port}`).join(" ");
  const ours = [`http_port ${ports.http}`, `https_port ${ports.https}`, "default_bind 127.0.0.1", "admin off"];
  let sites = edit(readShipped("Caddyfile"), /^\{\n/m, `{\n${ours.map((line) => `\t${line}\n`).join("")}`);
  sites = edit(sites, /\/etc\/ssl\/backplane\//g, `${folder}/`);
  sites = edit(sites, /127\.0\.0\.1:8790/, all(behind.platforms));
  sites = edit(sites, /127\.0\.0\.1:8795/, all(behind.gateways));
  const viewer = edit(readShipped("viewer.caddy"), /127\.0\.0\.1:8770/, all([behind.viewer]));
  return { Caddyfile: sites, "viewer.caddy": viewer };
}
