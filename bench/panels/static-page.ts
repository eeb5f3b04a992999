import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";

type Part = { type: string; bytes: Buffer };

/** The files that a page loads from its own site, by path. */
export function collectParts(page: Page, site: string): Map<string, Part> {
  const parts = new Map<string, Part>();
  page.on("response", (response) => {
    const kind = response.request().resourceType();
    if (!["script", "stylesheet", "font", "image"].includes(kind) || !response.url().startsWith(site)) return;
    const type = response.headers()["content-type"] ?? "";
    response
      .body()
      .then((bytes) => parts.set(new URL(response.url()).pathname, { type, bytes }))
      .catch(() => {});
  });
  return parts;
}

/** As a string because this program has no document. */
const SHOWN = `{
  const copy = document.documentElement.cloneNode(true);
  for (const each of copy.querySelectorAll("script,iframe,link[rel=modulepreload],link[rel=manifest]")) each.remove();
  copy.outerHTML;
}`;

/** What the page shows now as plain HTML. Its scripts are loaded too, and do not run. */
export async function staticHtml(page: Page, parts: ReadonlyMap<string, Part>): Promise<string> {
  const html = await page.evaluate<string>(SHOWN);
  const scripts = [...parts].filter(([, { type }]) => type.includes("javascript"));
  const loads = scripts.map(([path]) => `<link rel="preload" as="script" href="${path}">`).join("");
  return `<!doctype html>${html.replace("</head>", `${loads}</head>`)}`;
}

/** Serves it from memory, compressed as the platform does. */
export async function serveStatic(html: string, parts: ReadonlyMap<string, Part>) {
  const all = new Map([...parts, ["/", { type: "text/html; charset=utf-8", bytes: Buffer.from(html) }] as const]);
  const packed = new Map([...all].map(([path, { type, bytes }]) => [path, { type, bytes: gzipSync(bytes) }]));
  const server = createServer((request, response) => {
    const found = packed.get(new URL(request.url ?? "/", "http://localhost").pathname);
    if (!found) return response.writeHead(404).end();
    const length = { "content-type": found.type, "content-length": found.bytes.length };
    return response.writeHead(200, { ...length, "content-encoding": "gzip" }).end(found.bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
