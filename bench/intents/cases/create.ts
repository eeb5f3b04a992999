import { startPostgres } from "../../../scripts/services/index.ts";
import { compare } from "../../harness/compare.ts";
import { httpLoad } from "../../harness/http-load.ts";
import type { Session } from "../../harness/session.ts";
import { authorizeDevice, createIntent, createWithChallenge } from "../calls.ts";
import { deviceFlow, platform } from "../contestants.ts";

/** The first call of a program that wants a session; ours is on disk when it is answered. */
export async function create(session: Session): Promise<void> {
  await using postgres = await startPostgres();
  await compare(session, {
    title: "Intents, create",
    ours: { server: platform("intents on SQLite") },
    peers: [
      { server: deviceFlow, load: httpLoad(authorizeDevice) },
      { server: platform("intents with a challenge"), load: httpLoad(createWithChallenge) },
      { server: platform("intents on PostgreSQL", postgres.url) },
    ],
    load: httpLoad(createIntent),
    targets: [{ measure: "per CPU-s", peer: deviceFlow.label, atLeast: 2.5 }],
  });
}
