import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export const PANEL_TOKEN = "bpk_c4nary";

type Answer = { status?: number; body?: unknown };

/** A fake Backplane with scripted answers by method and path. */
export async function startScriptedPanels(answers: Record<string, Answer>) {
  const asked: { what: string; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const what = `${request.method} ${request.url}`;
    asked.push({ what, body: body === "" ? undefined : JSON.parse(body) });
    const { status = 200, body: answer } = answers[what] ?? { status: 404, body: { code: "not-found", title: what } };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(answer === undefined ? "" : JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
