import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { scratchFolder } from "../../packages/sdk/src/testing/scratch.ts";
import { ROOT } from "./backplane.ts";

/** The sdk as published, with its types or not, in a folder where a third-party program can import it. */
export function buildSdk({ types = false } = {}) {
  const folder = scratchFolder();
  const built = join(folder.path, "node_modules/@backplane/sdk");
  const sdk = join(ROOT, "packages/sdk");
  const options = types ? [] : ["--without-types"];
  execFileSync(process.execPath, [join(ROOT, "scripts/packing/pack.ts"), sdk, built, ...options]);
  writeFileSync(join(folder.path, "package.json"), '{"type":"module"}');
  const { dependencies = {} } = JSON.parse(readFileSync(join(built, "package.json"), "utf8"));
  return {
    folder: folder.path,
    built,
    dependencies: Object.keys(dependencies),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
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
