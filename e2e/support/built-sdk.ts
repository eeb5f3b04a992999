import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { scratchFolder } from "../../packages/sdk/src/testing/scratch.ts";
import { plainEnvironment, ROOT } from "./backplane.ts";

/**
 * The sdk in a folder where a third-party program can import it: installed from its tarball, or without that only what
 * runs, which takes a quarter of the time.
 */
export function buildSdk({ installed = false } = {}) {
  const folder = scratchFolder();
  const built = join(folder.path, "node_modules/@backplane/sdk");
  writeFileSync(join(folder.path, "package.json"), '{"type":"module"}');
  if (installed) installSdk(folder.path);
  else packSdk(built, "--without-types");
  return { folder: folder.path, built, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function packSdk(out: string, ...options: string[]): void {
  const pack = join(ROOT, "scripts/packing/pack.ts");
  execFileSync(process.execPath, [pack, join(ROOT, "packages/sdk"), out, ...options]);
}

/** As its README says. What its types need comes from this checkout, because tests use no network. */
function installSdk(folder: string): void {
  const unpacked = join(folder, "unpacked");
  packSdk(unpacked, "--tarball", folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  const { dependencies = {} } = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
  const others = Object.keys(dependencies).map((name) => join(ROOT, "node_modules", name));
  const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options, `./${tarball}`, ...others], { cwd: folder, env: plainEnvironment() });
}

export const PAGE = {
  contentType: "text/html",
  body: '<!doctype html><title>App</title><link rel="icon" href="data:,">',
};
export const script = (path: string) => ({ contentType: "text/javascript", body: readFileSync(path, "utf8") });

/** Serves a folder, and a blank page at `/`, from another origin. */
export async function serveFolder(folder: string) {
  const server = createServer((request, response) => {
    const { contentType, body } = request.url === "/" ? PAGE : script(join(folder, String(request.url)));
    response.setHeader("content-type", contentType).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
