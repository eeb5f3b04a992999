import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { buildRepository } from "../../packages/registry/src/repository/build.ts";
import { bundle } from "../../scripts/packing/bundle.ts";
import { BenchFault } from "../harness/fault.ts";
import { collectGarbage } from "../harness/garbage.ts";
import type { Measurement } from "../harness/round.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { timeOfShell } from "../harness/shell-times.ts";
import { archiveOf, namesOf, writeArchives } from "./index-archives.ts";

const COUNT = 1_000;
const QUICK_COUNT = 100;
/** Shares of the time of sha256sum, and of the first build. */
const MAX_TIMES_SHA256SUM = 1.5;
const MAX_OF_COLD = 0.15;

/** As people run it: a thread starts three times as fast from a bundle as from sources. */
const PROGRAMS = {
  build: "packages/registry/src/repository/build.ts",
  "take-archives-thread": "packages/registry/src/repository/building/take-archives-thread.ts",
};

type BuildRepository = typeof buildRepository;

const LABELS = {
  cold: "Backplane",
  copied: "Backplane, copying them",
  sum: "sha256sum",
  changed: "one changed",
} as const;

/** Building an index of archives in place, compared with only reading and hashing the same bytes. */
export async function index(session: Session): Promise<void> {
  const count = session.quick ? QUICK_COUNT : COUNT;
  const root = mkdtempSync(join(tmpdir(), "backplane-bench-index-"));
  const dist = join(import.meta.dirname, "..", "..", "dist");
  mkdirSync(dist, { recursive: true });
  const bundled = mkdtempSync(join(dist, "bench-"));
  try {
    session.progress("Index: bundling the build");
    await bundle(PROGRAMS, { folder: bundled });
    const programs = (await import(pathToFileURL(join(bundled, "build.js")).href)) as {
      buildRepository: BuildRepository;
    };
    session.progress(`Index: writing ${count} archives`);
    const contest = contestOf(programs.buildRepository, root, count);
    const bytes = writeArchives(contest.input, count);
    const description = `${count} archives, ${(bytes / 1e6).toFixed(0)} MB`;

    const title = "Index archives";
    const labels = [LABELS.cold, LABELS.sum, LABELS.copied];
    const rounds = await runRounds(session, { title, labels, measure: contest.measure });
    session.report({
      title,
      description: `${description}, every entry unpacked, checked and hashed`,
      unit: "archives",
      ours: LABELS.cold,
      peers: [LABELS.sum, LABELS.copied],
      rounds,
      measures: ["per s", "per CPU-s"],
      targets: [{ measure: "per s", peer: LABELS.sum, atLeast: 1 / MAX_TIMES_SHA256SUM }],
    });

    const again = "Index again after one changed";
    session.report({
      title: again,
      description,
      unit: "archives",
      ours: LABELS.changed,
      peers: [LABELS.cold],
      rounds: await runRounds(session, {
        title: again,
        labels: [LABELS.changed, LABELS.cold],
        measure: contest.measure,
      }),
      measures: ["per s", "per CPU-s"],
      targets: [{ measure: "per s", peer: LABELS.cold, atLeast: 1 / MAX_OF_COLD }],
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
    rmSync(bundled, { recursive: true, force: true });
  }
}

/** Each first build has a new folder: creating files is slow where many were just deleted. */
function contestOf(buildRepository: BuildRepository, root: string, count: number) {
  const build = async (input: string, into: string): Promise<void> => {
    const baseUrl = "https://packages.example.org";
    const built = await buildRepository({
      from: [input],
      out: into,
      name: "Bench",
      brand: "tool",
      baseUrl,
      now: Date.now,
    });
    if ("faults" in built) throw new BenchFault(`The index was not built: ${built.faults[0]?.message}`);
    if (built.packages !== count) throw new BenchFault(`The index has ${built.packages} packages instead of ${count}.`);
  };
  let [folders, changes] = [0, 0];
  let out = join(root, "0");
  const inputOf = (folder: string) => join(folder, "packages");
  const filesIn = () => namesOf(count).map((name) => join(inputOf(out), name));
  const moveOn = () => {
    const next = join(root, String(++folders));
    mkdirSync(next);
    renameSync(inputOf(out), inputOf(next));
    out = next;
  };
  const measure = async (label: string): Promise<Measurement> => {
    const operations = count;
    if (label === LABELS.sum) return { operations, ...(await timeOfShell('sha256sum "$@" > /dev/null', filesIn())) };
    if (label === LABELS.changed) {
      await build(inputOf(out), out);
      writeFileSync(filesIn()[0] ?? "", archiveOf(0, count + ++changes));
    } else moveOn();
    const into = label === LABELS.copied ? join(root, `copied-${folders}`) : out;
    return { operations, ...(await timed(() => build(inputOf(out), into))) };
  };
  return { input: inputOf(out), measure };
}

async function timed(run: () => Promise<void>): Promise<Pick<Measurement, "wallS" | "cpuS">> {
  collectGarbage();
  const before = process.cpuUsage();
  const startMs = performance.now();
  await run();
  const wallS = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { wallS, cpuS: (user + system) / 1e6 };
}
