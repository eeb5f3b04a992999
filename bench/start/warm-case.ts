import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { judgeTime } from "../harness/judge-time.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { timeOfShell } from "../harness/shell-times.ts";
import { startUp } from "./started-up.ts";

const OURS = "backplane up";
const PEER = "node -e 0, five times";
const MAX_MS = 1_500;
const MS_PER_S = 1_000;

/** From the command to "everything runs", with everything installed and built, compared with as many Nodes that do nothing. */
export async function warm(session: Session): Promise<void> {
  const title = "Start, warm";
  const measure = async (label: string) => {
    if (label === PEER) {
      const { wallS, cpuS } = await timeOfShell('for run in 1 2 3 4 5; do "$@"; done', [process.execPath, "-e", "0"]);
      return { operations: 1, wallS, cpuS, p50Ms: wallS * MS_PER_S };
    }
    const startMs = performance.now();
    await using server = await startUp();
    const wallS = (performance.now() - startMs) / MS_PER_S;
    return { operations: 1, wallS, cpuS: cpuSeconds(server.pids()), p50Ms: wallS * MS_PER_S };
  };
  const rounds = await runRounds(session, { title, labels: [OURS, PEER], measure, repetitions: 5 });
  session.report({
    ...{
      title,
      description: "until it prints that everything runs",
      unit: "starts",
      ours: OURS,
      peers: [PEER],
      rounds,
    },
    measures: ["p50 ms", "per CPU-s"],
  });
  session.say([], [judgeTime(OURS, rounds, MAX_MS)]);
}
