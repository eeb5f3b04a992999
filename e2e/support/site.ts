import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">
<body style="margin:0;background:#fff">${body}</body></html>`;

/** Six flat colours, each a sixth of the window, far apart in every channel. */
export const SWATCHES = ["#ff0000", "#00a000", "#1030f0", "#f0c000", "#808080", "#7a2c9e"] as const;
const swatches = `<div style="display:grid;grid-template-columns:repeat(3,1fr);height:100vh">${SWATCHES.map(
  (colour) => `<div style="background:${colour}"></div>`,
).join("")}</div>`;

/** Its title lists what works: HttpOnly cookies, modules, requests, WebSockets. */
const PARTS = `<h1>Parts</h1><a href="/plain?from=link">On</a><script type="module">
import { word } from "/word.js";
const said = await (await fetch("/whoami")).text();
const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/echo");
const echo = await new Promise((resolve) => {
  socket.onopen = () => socket.send("ping");
  socket.onmessage = ({ data }) => resolve(data);
  socket.onerror = () => resolve("no socket");
});
document.title = [word, said, echo, document.cookie === "" ? "hidden" : "seen"].join(" ");
</script>`;

const PAGES: Record<string, { body: string; headers?: Record<string, string> }> = {
  "/plain": { body: page("Plain", "<h1>Plain</h1>") },
  "/other": { body: page("Other", "<h1>Other</h1>") },
  "/swatches": { body: page("Swatches", swatches) },
  "/away": { body: page("Away", '<a href="/other" target="_blank">Window</a> <a href="/file">File</a>') },
  "/tall": { body: page("Tall", '<h1>Tall</h1><div style="height:4000px"></div>') },
  "/unframed": {
    body: page("Not to be framed", "<h1>Not to be framed</h1>"),
    headers: { "x-frame-options": "DENY", "content-security-policy": "frame-ancestors 'none'" },
  },
  "/parts": { body: page("Parts", PARTS), headers: { "set-cookie": "part=md340; HttpOnly; Path=/" } },
};

export type Site = AsyncDisposable & {
  /** By IP address, so a different site than the platform. */
  url: string;
  port: number;
  /** Number of requests for a path. */
  visits(path: string): number;
};

/** A third-party site: framable and unframable pages, any number of plain ones, cookies, modules, WebSockets, redirects. */
export async function startSite(): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    if (request.method === "GET") asked.push(pathname);
    answer(request, response, pathname);
  });
  const sockets = new WebSocketServer({ server, path: "/echo" });
  sockets.on("connection", (socket) => {
    socket.on("error", () => {}).on("message", (data) => socket.send(`echo:${data}`));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    visits: (path) => asked.filter((each) => each === path).length,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, pathname: string): void {
  response.setHeader("cache-control", "no-store");
  const known = PAGES[pathname.startsWith("/plain/") ? "/plain" : pathname];
  if (known) response.writeHead(200, { "content-type": "text/html", ...known.headers }).end(known.body);
  else if (pathname === "/moved") response.writeHead(302, { location: "/plain?from=moved" }).end();
  else if (pathname === "/file")
    response.writeHead(200, { "content-disposition": 'attachment; filename="a.txt"' }).end("saved");
  else if (pathname === "/word.js")
    response.writeHead(200, { "content-type": "text/javascript" }).end('export const word = "module";');
  else if (pathname === "/whoami")
    response.writeHead(200, { "content-type": "text/plain" }).end(`cookie:${request.headers.cookie ?? "none"}`);
  else response.writeHead(404).end();
}
