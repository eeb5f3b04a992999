import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { LESSON_LIMITS } from "@backplane/contract/panels";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import { createFiles } from "../files/files.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import { callerOf, openStage } from "../workspaces/workspaces-under-test.suite.ts";
import type { MeasuredField } from "./decide.ts";
import { createLessons } from "./lessons.ts";
import { createLessonStore } from "./store.ts";

const LESSON = `# Spin
## Run
Done when: */motor/velocity_rad_s > 4 for 1 s
## Rest
Done when: */motor/velocity_rad_s < 1
## Note
Done when: file notes/a.md contains "%"
`;
const PATH = "lessons/motors/01-spin.md";
const hasCode = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;

/** Progress is stored by both engines in the same way. */
export function testLessons(stage: Stage): void {
  const it = (name: string, work: (t: TestContext) => Promise<void>) => test(`${stage.name}: ${name}`, work);

  async function open(t: TestContext) {
    const { first } = await openStage(t, stage);
    const folder = mkdtempSync(join(tmpdir(), "lessons-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const workspace = await first.workspaces.openFor(callerOf("ada"), { owner: "ada", repo: "rover" });
    const files = createFiles(folder);
    const store = createLessonStore(first.dependencies.database);
    const { now } = first.dependencies;
    let measured: MeasuredField[] = [];
    const lessons = createLessons({ files, store, now, measured: async () => measured });
    const write = (path: string, text: string) => files.write(workspace, path, new TextEncoder().encode(text));
    /** Values that ended a moment ago, every 250 ms. */
    const sends = (...values: number[]) => {
      const lastMs = now();
      const samples = values.map((value, i) => ({ tMs: lastMs - (values.length - 1 - i) * 250, value }));
      measured = [{ device: "rover", samples }];
    };
    await write(PATH, LESSON);
    return { ...{ first, workspace, lessons, store, write, sends }, report: lessons.report.bind(null, workspace) };
  }

  it("a step with a script is done by a run of it that ended well, with the result that it asks for", async (t) => {
    const { workspace, lessons, write } = await open(t);
    const path = "lessons/script.md";
    await write(path, "# Mean\n## Run\nDone when: script a.js\n## Result\nDone when: script a.js between 2 and 3\n");
    const ran = { path: "a.js", isOk: true, result: 2.5 };
    const isDone = async (step: string, run?: typeof ran) =>
      (await lessons.report(workspace, "u-ada", path, step, run)).isDone;
    assert.equal(await isDone("run", ran), false, "there is no such script");
    await write("a.js", "export default 2.5");
    for (const run of [undefined, { ...ran, isOk: false }, { ...ran, path: "b.js" }])
      assert.equal(await isDone("run", run), false);
    assert.equal(await isDone("run", { ...ran, result: 9 }), true, "whatever it resulted in");
    assert.equal(await isDone("result", { ...ran, result: 9 }), false);
    assert.equal(await isDone("result", ran), true);
    const { steps } = await lessons.read(workspace, "u-ada", path);
    assert.equal(steps[1]?.done?.because, "a.js resulted in 2.5");
  });

  it("a step is done only when what the device sent met its check, in order, and for each person apart", async (t) => {
    const { lessons, workspace, report, sends, write } = await open(t);
    const notYet = async (...asked: Parameters<typeof report>) => assert.equal((await report(...asked)).isDone, false);
    await notYet("u-ada", PATH, "run"); // nothing was sent
    sends(5, 5, 5, 3, 5, 5, 5);
    await notYet("u-ada", PATH, "run"); // not for a second
    sends(5, 5, 5, 5, 5);
    await notYet("u-ada", PATH, "rest"); // not before the first step
    const { lesson, isNew } = await report("u-ada", PATH, "run");
    assert.equal(isNew, true);
    assert.equal(lesson.steps[0]?.done?.because, "rover: velocity_rad_s was 5, for 1 s");
    assert.equal((await report("u-ada", PATH, "run")).isNew, false);
    await notYet("u-ada", PATH, "rest"); // what came before does not count
    await assert.rejects(report("u-ada", PATH, "none"), hasCode("step-unknown"));
    const listed = async (user: string) => (await lessons.list(workspace, user))[0];
    assert.deepEqual(await listed("u-ada"), {
      ...{ path: PATH, course: "Motors", title: "Spin", steps: 3, done: 1, fault: null },
    });
    assert.equal((await listed("u-eve"))?.done, 0);
    await write(PATH, LESSON.replace("> 4", "> 6"));
    assert.equal((await listed("u-ada"))?.done, 0, "another check is to be met again");
    sends(7, 7, 7, 7, 7);
    await report("u-ada", PATH, "run");
    assert.equal((await listed("u-ada"))?.done, 1);
    await lessons.forget(workspace, "u-ada", PATH);
    assert.equal((await listed("u-ada"))?.done, 0);
  });

  it("a check of a file reads the file; one that no project can have is never there", async (t) => {
    const { report, write } = await open(t);
    await write("lessons/b.md", '# B\n## Note\nDone when: file notes/a.md contains "%"\n');
    const notYet = async (...asked: Parameters<typeof report>) => assert.equal((await report(...asked)).isDone, false);
    await notYet("u", "lessons/b.md", "note");
    await write("notes/a.md", "12");
    await notYet("u", "lessons/b.md", "note");
    await write("notes/a.md", "12 %");
    assert.equal((await report("u", "lessons/b.md", "note")).lesson.steps[0]?.done?.because, "notes/a.md contains %");
    await write("lessons/c.md", "# C\n## Note\nDone when: file ../../secret\n");
    await notYet("u", "lessons/c.md", "note");
  });

  it("files that are no lessons are listed with what is wrong, and open as 422; others are not found", async (t) => {
    const { lessons, workspace, write } = await open(t);
    await write("lessons/large.md", `# A\n${"x".repeat(LESSON_LIMITS.maxLessonBytes)}`);
    await write("lessons/bytes.md", "# A\0");
    await write("lessons/none.md", "nothing");
    await write("lessons/other.txt", "# A");
    const faults = (await lessons.list(workspace, "u")).map(({ path, fault }) => [path, fault]);
    assert.deepEqual(faults, [
      ["lessons/bytes.md", "The file is not text in UTF-8."],
      ["lessons/large.md", "The file has more than 64 KB."],
      [PATH, null],
      ["lessons/none.md", 'A lesson begins with a line such as "# Run a motor".'],
    ]);
    await assert.rejects(lessons.read(workspace, "u", "lessons/none.md"), hasCode("lesson-refused"));
    for (const path of ["lessons/other.txt", "notes/a.md", "lessons/gone.md"])
      await assert.rejects(lessons.read(workspace, "u", path), hasCode("file-unknown"), path);
  });

  it("what is remembered has a limit, and goes with the person and with the workspace", async (t) => {
    const { first, workspace, store } = await open(t);
    const learner = { workspaceId: workspace.id, userId: "u-eve" };
    const add = (step: string, doneAtMs: number) =>
      store.add(learner, { path: PATH, step, checkText: "x", because: "y", doneAtMs });
    await Promise.all([add("same", 1), add("same", 1), add("same", 1)]);
    assert.equal((await store.list(learner)).length, 1);
    const rows = Array.from({ length: LESSON_LIMITS.maxDoneSteps }, (_, i) => ({
      ...{ workspace_id: workspace.id, user_id: "u-eve", path: PATH, step: `s${i}`, check_text: "x", because: "y" },
      done_at_ms: 10 + i,
    }));
    const { durable } = first.dependencies.database;
    for (let from = 0; from < rows.length; from += 500)
      await durable
        .insertInto("panels_lessons")
        .values(rows.slice(from, from + 500))
        .execute();
    await add("last", 100_000);
    const kept = await store.list(learner);
    assert.equal(kept.length, LESSON_LIMITS.maxDoneSteps);
    assert.ok(kept.some(({ step }) => step === "last") && !kept.some(({ step }) => step === "same"));
    await first.workspaces.removeOf(["u-eve"]);
    assert.deepEqual(await store.list(learner), []);
    await store.add(
      { ...learner, userId: "u-ada" },
      { ...{ path: PATH, step: "a", checkText: "x" }, because: "y", doneAtMs: 1 },
    );
    await first.workspaces.remove(callerOf("ada"), { owner: "ada", repo: "rover" });
    assert.deepEqual(await store.list({ ...learner, userId: "u-ada" }), []);
  });
}
