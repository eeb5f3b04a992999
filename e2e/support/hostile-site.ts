import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const PAGE =
  '<!doctype html><html lang="en"><title>Free parts</title><link rel="icon" href="data:,"><h1>Free parts</h1>';

/**
 * A third-party site. At `localhost` it is another origin of the same site, so the browser sends even SameSite=Strict
 * cookies to it; at its IP address it is a different site.
 */
export async function startHostileSite() {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    sameSite: `http://localhost:${port}/`,
    otherSite: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
