import { compare } from "../../harness/compare.ts";
import { httpLoad } from "../../harness/http-load.ts";
import { nodeServer } from "../../harness/node-server.ts";
import type { ServerOptions } from "../../harness/server.ts";
import type { Session } from "../../harness/session.ts";

/** Written before the first start, which uses what it finds. */
const API_KEY = `bpk_${"b".repeat(43)}`;
const owner = { name: "owner", email: "owner@localhost", password: "bench password", api_key: API_KEY };

const callerApp: ServerOptions = {
  ...nodeServer("asks who calls", new URL("../../servers/caller-app.ts", import.meta.url), "/health"),
  files: () => ({ "owner.json": JSON.stringify(owner) }),
};
const bareApp = nodeServer("asks nobody", new URL("../../servers/kit-app.ts", import.meta.url), "/note");

/** What authentication adds to a route. */
export async function caller(session: Session): Promise<void> {
  await compare(session, {
    title: "Who is calling",
    ours: { server: callerApp },
    peers: [{ server: bareApp }],
    load: httpLoad({ path: "/note", headers: { "x-api-key": API_KEY } }),
    targets: [{ measure: "per CPU-s", peer: bareApp.label, atLeast: 0.9 }],
  });
}
