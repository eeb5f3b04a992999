import { startPostgres } from "../../../scripts/services/index.ts";
import { compare } from "../../harness/compare.ts";
import { httpLoad } from "../../harness/http-load.ts";
import type { RunningServer, ServerOptions } from "../../harness/server.ts";
import type { Session } from "../../harness/session.ts";
import {
  authorizeDevice,
  createIntent,
  createWithChallenge,
  makeMany,
  pollDevices,
  pollIntents,
  pollWithVerifier,
} from "../calls.ts";
import { deviceFlow, platform } from "../contestants.ts";
import { polledIntents } from "../limits.ts";

const pollsOf = async ({ url }: RunningServer) =>
  httpLoad(pollIntents(await makeMany(url, createIntent, "token", polledIntents)));
const provenPollsOf = async ({ url }: RunningServer) =>
  httpLoad(pollWithVerifier(await makeMany(url, createWithChallenge, "token", polledIntents)));
const ours = (server: ServerOptions) => ({ server, load: pollsOf });

/** Polling for "not yet": what a program does that cannot keep a stream open. */
export async function poll(session: Session): Promise<void> {
  await using postgres = await startPostgres();
  const ask = async ({ url }: RunningServer) =>
    httpLoad(pollDevices(await makeMany(url, authorizeDevice, "device_code", polledIntents)));
  await compare(session, {
    title: "Intents, poll",
    ours: ours(platform("intents on SQLite")),
    peers: [
      { server: deviceFlow, load: ask },
      { server: platform("intents with a verifier"), load: provenPollsOf },
      ours(platform("intents on PostgreSQL", postgres.url)),
    ],
    load: httpLoad(pollIntents([])),
    targets: [{ measure: "per CPU-s", peer: deviceFlow.label, atLeast: 4 }],
  });
}
