// The baseline: `ws` on node:http with the minimum that delivers a code. It only checks that a message is JSON.
import { createServer } from "node:http";
import { type RawData, WebSocket, WebSocketServer } from "ws";

/** ws creates instances of this: what a connection registered is dropped with it. */
class Peer extends WebSocket {
  readonly states = new Set<string>();
}

const owners = new Map<string, Peer>();
const PAGE = "<!doctype html><title>Done</title><p>You can close this window.";

const server = createServer((request, response) => {
  const url = request.url ?? "/";
  const query = Object.fromEntries(new URLSearchParams(url.slice(url.indexOf("?") + 1)));
  const { state = "", code } = query;
  const owner = owners.get(state);
  if (owner === undefined) {
    response.writeHead(url === "/health" ? 200 : 404).end();
    return;
  }
  owners.delete(state);
  owner.states.delete(state);
  owner.send(JSON.stringify({ type: "callback", state, code, query }));
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-length": PAGE.length }).end(PAGE);
});

function onMessage(this: WebSocket, data: RawData): void {
  const peer = this as Peer;
  const { type, state } = JSON.parse(data.toString()) as { type: string; state: string };
  if (type === "register") {
    owners.set(state, peer);
    peer.states.add(state);
    peer.send(`{"type":"registered","state":"${state}"}`);
  } else if (type === "unregister" && peer.states.delete(state)) owners.delete(state);
}

function onClose(this: WebSocket): void {
  for (const state of (this as Peer).states) owners.delete(state);
}

const sockets = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  clientTracking: false,
  WebSocket: Peer,
});
server.on("upgrade", (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (peer) => {
    peer.on("message", onMessage);
    peer.on("close", onClose);
    peer.on("error", () => {});
  });
});
server.listen({ port: Number(process.env.PORT), host: "127.0.0.1", backlog: 4_096 });
