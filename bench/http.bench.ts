import { compare } from "./harness/compare.ts";
import { httpLoad } from "./harness/http-load.ts";
import { nodeServer } from "./harness/node-server.ts";
import type { Session } from "./harness/session.ts";

const contestants = {
  ours: { server: nodeServer("kit app", new URL("./servers/kit-app.ts", import.meta.url), "/note") },
  peers: [
    { server: nodeServer("bare fastify", new URL("./servers/bare-fastify.ts", import.meta.url), "/note") },
    { server: nodeServer("bare node:http", new URL("./servers/bare-node-http.ts", import.meta.url), "/note") },
  ],
};

/** What the kit's HTTP app costs, compared with its framework and with bare node:http. */
export async function run(session: Session): Promise<void> {
  await compare(session, { ...contestants, title: "HTTP GET JSON", load: httpLoad({ path: "/note" }) });
  const body = JSON.stringify({ title: "a note", max_age: 3_600, tags: ["one", "two"] });
  const headers = { "content-type": "application/json" };
  const load = httpLoad({ path: "/notes", method: "POST", headers, body });
  await compare(session, { ...contestants, title: "HTTP POST JSON, validated", load });
}
