import { BenchFault } from "../harness/fault.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { BURST, BURST_BOUND_MS, EVALS, QUICK_EVALS } from "./limits.ts";
import { measureEach, percentile } from "./measure.ts";
import { codeFrame, openSandbox, openStage, SANDBOX } from "./stage.ts";

const OURS = "PATCH eval over HTTP";
const PEER = "Playwright frame.evaluate";

/** One after the other: HTTP to platform to page to frame and back, compared with the browser's own protocol. */
export async function evals(session: Session): Promise<void> {
  const title = "Run code in a sandbox";
  session.progress(`${title}: starting`);
  await using stage = await openStage("panels");
  const panelId = await openSandbox(stage);
  const frame = codeFrame(stage.page);
  const ways: Record<string, (i: number) => Promise<unknown>> = {
    [OURS]: async (i) => (await stage.call("PATCH", SANDBOX, { panelId, action: "eval", code: `${i}+1` })).body.result,
    [PEER]: (i) => frame.evaluate(`${i}+1`),
  };
  const count = session.quick ? QUICK_EVALS : EVALS;
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, PEER],
    measure: (label) => measureEach((i) => checked(ways[label] ?? (() => Promise.resolve()), i), count),
  });
  session.report({
    title,
    description: `${count} pieces of code one after the other, each \`i + 1\``,
    unit: "evals",
    ours: OURS,
    peers: [PEER],
    rounds,
    targets: [
      { measure: "p50 ms", peer: PEER, atMost: 1.25 },
      { measure: "p99 ms", peer: PEER, atMost: 1.25 },
    ],
  });
}

/** Runs `i + 1`. */
async function checked(run: (i: number) => Promise<unknown>, i: number): Promise<void> {
  const result = await run(i);
  if (result !== i + 1) throw new BenchFault(`${i} + 1 was ${result}.`);
}

/** All at once. */
export async function burst(session: Session): Promise<void> {
  const title = `${BURST} evals at once`;
  session.progress(`${title}: starting`);
  await using stage = await openStage("panels");
  const panelId = await openSandbox(stage);
  const all = async () => {
    const startMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: BURST }, (_, i) => stage.call("PATCH", SANDBOX, { panelId, action: "eval", code: `${i}` })),
    );
    const took = performance.now() - startMs;
    const wrong = answers.findIndex(({ body }, i) => body.result !== i);
    if (wrong !== -1) throw new BenchFault(`Eval ${wrong} was answered ${JSON.stringify(answers[wrong])}.`);
    return took;
  };
  await all();
  const times: number[] = [];
  for (let round = 0; round < 5; round++) times.push(await all());
  times.sort((a, b) => a - b);
  const median = percentile(times, 0.5);
  const holds = median <= BURST_BOUND_MS;
  session.say(
    [title, `  ${times.map((ms) => `${Math.round(ms)} ms`).join(", ")}; each answered with its own value`],
    [
      {
        sentence: `target ${holds ? "holds" : "missed"}: ${BURST} within ${BURST_BOUND_MS} ms; the median is ${Math.round(median)} ms`,
        holds,
        isStretch: false,
      },
    ],
  );
}
