import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchFault } from "../harness/fault.ts";
import { judgeTime } from "../harness/judge-time.ts";
import { runRounds } from "../harness/rounds.ts";
import { startServer } from "../harness/server.ts";
import type { Session } from "../harness/session.ts";
import { timeOfShell } from "../harness/shell-times.ts";
import { platform } from "../intents/contestants.ts";
import { viewerOf } from "../viewer/mcp-case.ts";

const BACKPLANE = fileURLToPath(new URL("../../backplane", import.meta.url));
/** Runs of one repetition, one after the other. */
const RUNS = 10;
const QUICK_RUNS = 3;
const BARE = "node -e 0";
const REQUEST = "node with one request";
const MS_PER_S = 1_000;

type Place = { url: string; env: NodeJS.ProcessEnv; cwd: string };

/** A command from the first byte of its shell script to its end, compared with Node alone, and with Node and one `fetch`. */
async function command(session: Session, words: readonly string[], place: Place, maxMs: number): Promise<void> {
  const ours = `backplane ${words.join(" ")}`;
  const runs = session.quick ? QUICK_RUNS : RUNS;
  const lines: Record<string, readonly string[]> = {
    [ours]: [BACKPLANE, ...words],
    [BARE]: [process.execPath, "-e", "0"],
    [REQUEST]: [process.execPath, "-e", `fetch("${place.url}").then((answer) => answer.text())`],
  };
  const measure = async (label: string) => {
    const many = `for run in $(seq ${runs}); do "$@" > /dev/null; done`;
    const { wallS, cpuS } = await timeOfShell(many, lines[label] ?? [], place);
    return { operations: runs, wallS, cpuS, p50Ms: (wallS / runs) * MS_PER_S };
  };
  const rounds = await runRounds(session, { title: ours, labels: Object.keys(lines), measure });
  const description = `${runs} runs one after the other, mean time of one`;
  session.report({
    ...{ title: ours, description, unit: "runs", ours, peers: [BARE, REQUEST], rounds },
    measures: ["p50 ms", "per CPU-s"],
  });
  session.say([], [judgeTime(ours, rounds, maxMs)]);
}

export async function commands(session: Session): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "backplane-bench-commands-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  mkdirSync(project);
  const options = platform("platform");
  const server = await startServer({
    ...options,
    env: (port) => ({ ...options.env?.(port), BACKPLANE_HOME: home }),
  });
  stack.use(server);
  stack.use(await startServer(viewerOf(project)));
  const { api_key: token } = JSON.parse(readFileSync(join(home, "owner.json"), "utf8")) as { api_key?: string };
  if (token === undefined) throw new BenchFault("The platform made no key for its owner.");
  const { PATH } = process.env;
  const env = { PATH, HOME: folder, BASE_URL: server.url, BACKPLANE_TOKEN: token, VIEWER_PROJECT: project };
  const place = { url: `${server.url}/health`, env, cwd: folder };
  await command(session, ["version"], place, 80);
  await command(session, ["whoami"], place, 150);
  await command(session, ["viewer", "list"], place, 250);
}
