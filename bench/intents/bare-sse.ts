// The baseline: an event stream on bare node:http, without even authentication.
import { createServer, type ServerResponse } from "node:http";

const waiting = new Map<string, ServerResponse>();

createServer((request, response) => {
  const path = request.url ?? "/";
  if (path === "/ready") return response.end("ok");
  waiting.set(path, response);
  response.on("close", () => waiting.delete(path));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
}).listen({ port: Number(process.env.PORT), host: "127.0.0.1", backlog: 4_096 });
