import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** How a web view can show a site. */
export const MODES = [
  "through the proxy",
  "directly, as another site",
  "directly, as another origin of the same site",
] as const;
export type Mode = (typeof MODES)[number];

export const isProxied = (mode: Mode): boolean => mode === "through the proxy";

const page = (title: string, body = "") =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">
<h1>${title}</h1>${body}</html>`;

/** Headers that apply to a whole host, or would take effect outside the frame. */
const REACHING = {
  "clear-site-data": '"*"',
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "service-worker-allowed": "/",
  "access-control-allow-origin": "*",
  "content-security-policy": "frame-ancestors 'none'; report-uri /report",
  "report-to": '{"group":"x","max_age":9,"endpoints":[{"url":"https://site.example/"}]}',
  "alt-svc": 'h3="site.example:443"',
  "origin-agent-cluster": "?0",
  "set-cookie": [
    "session_token=forged; Domain=localhost; Path=/",
    "session_token=forged; Path=/",
    "backplane_pass=forged; Path=/",
    "=backplane_pass=forged; Path=/",
    "BACKPLANE_PASS=forged; Path=/; HttpOnly",
    "own=kept; Path=/",
  ],
};

/** A hostile site that records the requests it gets. */
export async function startFramedSite(name: string) {
  const asked: { path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    asked.push({ path: url.pathname, headers: request.headers });
    response.setHeader("cache-control", "no-store").setHeader("content-type", "text/html");
    const to = url.searchParams.get("to") ?? "";
    switch (url.pathname) {
      case "/reaching":
        response.writeHead(200, REACHING).end(page(name));
        break;
      case "/bust":
        response.end(
          page(name, `<script>if (top !== self) { top.location = "${to}"; top.location.replace("${to}") }</script>`),
        );
        break;
      case "/trap":
        response.end(page(name, "<script>onbeforeunload = () => 'Stay'; alert('Stay'); print()</script>"));
        break;
      case "/refresh":
        response.writeHead(200, { refresh: `0; url=${to}` }).end(page(name));
        break;
      case "/moved":
        response.writeHead(302, { location: to }).end();
        break;
      case "/download":
        response.writeHead(200, { "content-disposition": "attachment; filename=x.html" }).end(page(name));
        break;
      case "/worker.js":
        response.writeHead(200, { "content-type": "text/javascript" }).end("onfetch = () => {}");
        break;
      default:
        response.end(page(name));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    /** By IP address a different site than the app; by name the same site. */
    url: `http://127.0.0.1:${port}`,
    sameSite: `http://localhost:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
export type FramedSite = Awaited<ReturnType<typeof startFramedSite>>;

/** The site's address in a mode. */
export const addressIn = ({ url, sameSite }: FramedSite, mode: Mode): string =>
  mode === "directly, as another origin of the same site" ? sameSite : url;
