import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import fc from "fast-check";
import { trials } from "../../../../../scripts/testing/long.ts";
import { folderOf } from "../../archives/archive.ts";
import { faultyDisk } from "./faulty-disk.suite.ts";
import type { Change } from "./plan.ts";
import { installOf, newFolder, open, put, snapshot } from "./scenarios.suite.ts";
import { attempt } from "./trial.suite.ts";

/** The expected state: the version and files of each package. */
type Model = ReadonlyMap<string, { version: string; files: Readonly<Record<string, string>> }>;

const IDENTIFIERS = ["org.example.one", "org.example.two"];
const PATHS = ["plugins/a.py", "plugins/sub/b.py", "plugins/keep/k.txt", "colors/c.json", "symbols/keep/s.txt"];
const KEPT = /\/keep\//;
const MAX_STEPS = 120;

const identifier = fc.constantFrom(...IDENTIFIERS);
const killAt = fc.option(fc.integer({ min: 1, max: MAX_STEPS }), { nil: undefined });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("install" as const),
      identifier,
      version: fc.constantFrom("1.0", "2.0", "3.0"),
      files: fc.dictionary(fc.constantFrom(...PATHS), fc.string(), { minKeys: 1 }),
      killAt,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("uninstall" as const), identifier, killAt }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("edit" as const),
      identifier,
      path: fc.constantFrom(...PATHS, "plugins/keep/own.txt", "resources/own.txt"),
      content: fc.string(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const installedAt = (id: string, path: string): string => path.replace("/", `/${folderOf(id)}/`);

function afterwards(model: Model, step: Step): Model {
  const next = new Map(model);
  const before = model.get(step.identifier);
  if (step.kind === "uninstall") next.delete(step.identifier);
  if (step.kind === "edit" && before) {
    const files = { ...before.files, [installedAt(step.identifier, step.path)]: step.content };
    next.set(step.identifier, { ...before, files });
  }
  if (step.kind === "install") {
    const put = Object.entries(step.files).map(([path, content]) => [installedAt(step.identifier, path), content]);
    const kept = Object.entries(before?.files ?? {}).filter(([path]) => KEPT.test(`/${path}`));
    next.set(step.identifier, { version: step.version, files: Object.fromEntries([...put, ...kept]) });
  }
  return next;
}

const filesOf = (model: Model): Record<string, string> =>
  Object.assign({}, ...[...model.values()].map((each) => each.files));

async function found(root: string): Promise<{ versions: Record<string, string>; files: Record<string, string> }> {
  const installation = await open(root, { disk: faultyDisk() });
  const entries = await installation.list();
  await installation.close();
  const all = Object.entries(snapshot(root));
  assert.deepEqual(
    all.map(([path]) => path).filter((path) => path.startsWith(".backplane/") && !path.includes("/manifests/")),
    [],
  );
  const files = Object.fromEntries(
    all.filter(([path]) => !path.startsWith(".backplane/") && path !== "installed_packages.json"),
  );
  return {
    versions: Object.fromEntries(entries.map((entry) => [entry.package.identifier, entry.current_version])),
    files,
  };
}

const expected = (model: Model) => ({
  versions: Object.fromEntries([...model].map(([id, { version }]) => [id, version])),
  files: filesOf(model),
});

async function take(folder: string, root: string, model: Model, step: Step): Promise<Model> {
  const next = afterwards(model, step);
  if (step.kind === "edit") {
    if (model.has(step.identifier)) await put(root, installedAt(step.identifier, step.path), step.content);
    return next;
  }
  const change: Change =
    step.kind === "uninstall"
      ? { kind: "uninstall", identifier: step.identifier }
      : await installOf(folder, { ...step, keep: ["/keep/"] });
  const disk = step.killAt === undefined ? faultyDisk() : faultyDisk({ kind: "kill", at: step.killAt });
  const fault = await attempt(root, change, disk);
  const now = await found(root);
  if (fault === undefined) {
    assert.deepEqual(now, expected(next));
    return next;
  }
  const isNext = JSON.stringify(sorted(now)) === JSON.stringify(sorted(expected(next)));
  if (!isNext) assert.deepEqual(now, expected(model));
  return isNext ? next : model;
}

const sorted = ({ versions, files }: ReturnType<typeof expected>) => [
  Object.entries(versions).sort(),
  Object.entries(files).sort(),
];

it("any sequence of installs, updates, edits and uninstalls, interrupted anywhere, matches the model", async (t) => {
  const folder = await newFolder(t);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
      const root = join(folder, `root-${runs++}`);
      let model: Model = new Map();
      for (const each of steps) model = await take(folder, root, model, each);
      rmSync(root, { recursive: true, force: true });
    }),
    { numRuns: trials(30) },
  );
});
