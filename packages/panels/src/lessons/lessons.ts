import {
  LESSON_LIMITS,
  type Lesson,
  type LessonStep,
  type LessonSummary,
  type ReportedStep,
  type ScriptRun,
} from "@backplane/contract/panels";
import { readBytes } from "@backplane/kit/bounded-body";
import { fitsComparison } from "@backplane/kit/hold";
import { Problem } from "@backplane/kit/problems";
import { listFiles } from "../files/files.ts";
import type { Files, Services, Workspace } from "../services.ts";
import { decide, type Seen } from "./decide.ts";
import { type ParsedLesson, parseLesson } from "./parse-lesson.ts";
import type { DoneStep, Learner, LessonStore } from "./store.ts";

const { folder, maxLessons, maxLessonBytes, maxDevicesPerCheck, reportWithinMs, maxGapMs } = LESSON_LIMITS;

type ScriptCheck = Extract<LessonStep["check"], { type: "script" }>;

/** `isNew`: it was not done before. */
export type Reported = ReportedStep & { isNew: boolean };

/** Lessons of projects, and what each person has done of them. */
export function createLessons({
  files,
  store,
  measured = async () => [],
  now,
}: Pick<Services, "files" | "measured" | "now"> & { store: LessonStore }) {
  async function parse(workspace: Workspace, path: string): Promise<{ lesson: ParsedLesson } | { fault: string }> {
    const text = await readText(files, workspace, path, maxLessonBytes);
    if (text === undefined) throw new Problem("file-unknown");
    return "fault" in text ? text : parseLesson(text.text);
  }

  async function expectLesson(workspace: Workspace, path: string): Promise<ParsedLesson> {
    if (!isLesson(path)) throw new Problem("file-unknown", { detail: `Lessons are .md files in ${folder}/.` });
    const parsed = await parse(workspace, path);
    if ("fault" in parsed) throw new Problem("lesson-refused", { detail: parsed.fault });
    return parsed.lesson;
  }

  async function read(workspace: Workspace, userId: string, path: string): Promise<Lesson> {
    const lesson = await expectLesson(workspace, path);
    const done = await store.list({ workspaceId: workspace.id, userId }, path);
    return { path, ...lesson, steps: lesson.steps.map((step) => ({ ...step, done: doneOf(step, done) })) };
  }

  /** It ran in the browser: what it resulted in is what the person's page says, but the script has to be there. */
  async function lookAtRun(workspace: Workspace, check: ScriptCheck, run: ScriptRun | undefined) {
    if (!run?.isOk || run.path !== check.path) return undefined;
    if (check.compare !== null && !fitsComparison(check.compare, run.result)) return undefined;
    const script = await readText(files, workspace, check.path, LESSON_LIMITS.maxCheckedFileBytes).catch(noSuchFile);
    if (!script || "fault" in script) return undefined;
    const result = check.compare === null ? "ended without an error" : `resulted in ${String(run.result).slice(0, 60)}`;
    return { atMs: now(), because: `${check.path} ${result}` };
  }

  async function look(
    workspace: Workspace,
    { check }: LessonStep,
    { afterMs, run }: { afterMs: number; run: ScriptRun | undefined },
  ): Promise<Seen | undefined> {
    if (check?.type === "script") return lookAtRun(workspace, check, run);
    if (check?.type === "file") {
      const text = await readText(files, workspace, check.path, LESSON_LIMITS.maxCheckedFileBytes).catch(noSuchFile);
      if (!text || "fault" in text || (check.contains !== null && !text.text.includes(check.contains)))
        return undefined;
      const contains = check.contains === null ? "is there" : `contains ${check.contains.slice(0, 60)}`;
      return { atMs: now(), because: `${check.path} ${contains}` };
    }
    if (!check) return undefined;
    const sinceMs = now() - reportWithinMs;
    const { device, capability, field } = check;
    const fromMs = sinceMs - check.holdMs - maxGapMs;
    const want = { device, capability, field, fromMs, maxDevices: maxDevicesPerCheck };
    return decide(check, await measured(workspace.id, want), { afterMs, sinceMs });
  }

  return {
    read,

    async list(workspace: Workspace, userId: string): Promise<LessonSummary[]> {
      const { files: found } = await listFiles(files.folderOf(workspace));
      const paths = found.map(({ path }) => path).filter(isLesson);
      const done = await store.list({ workspaceId: workspace.id, userId });
      const lessons: LessonSummary[] = [];
      for (const path of paths.slice(0, maxLessons)) {
        const parsed = await parse(workspace, path).catch(noSuchFile);
        if (parsed) lessons.push(summaryOf(path, parsed, done));
      }
      return lessons;
    },

    /** Looks whether the check of a step is met by what devices really sent, a file or a script that ran. 404, 422. */
    async report(
      workspace: Workspace,
      userId: string,
      path: string,
      stepId: string,
      run?: ScriptRun,
    ): Promise<Reported> {
      const lesson = await read(workspace, userId, path);
      const index = lesson.steps.findIndex(({ id }) => id === stepId);
      const step = lesson.steps[index];
      if (!step) throw new Problem("step-unknown");
      if (step.done) return { lesson, isDone: true, isNew: false, why: null };
      const notYet = (why: string): Reported => ({ lesson, isDone: false, isNew: false, why });
      const before = lesson.steps.slice(0, index).filter(({ check }) => check !== null);
      const open = before.find(({ done }) => done === null);
      if (open) return notYet(`Do "${plain(open)}" first.`);
      const afterMs = before.at(-1)?.done?.atMs ?? Number.NEGATIVE_INFINITY;
      const seen = await look(workspace, step, { afterMs, run });
      if (!seen) return notYet(`What it asks for was not seen: ${step.checkText || "it has no check"}.`);
      const learner: Learner = { workspaceId: workspace.id, userId };
      const { checkText } = step;
      await store.add(learner, { path, step: step.id, checkText, because: seen.because, doneAtMs: seen.atMs });
      return { lesson: await read(workspace, userId, path), isDone: true, isNew: true, why: null };
    },

    async forget(workspace: Workspace, userId: string, path: string): Promise<void> {
      await store.forget({ workspaceId: workspace.id, userId }, path);
    },
  };
}

const isLesson = (path: string): boolean => path.startsWith(`${folder}/`) && path.toLowerCase().endsWith(".md");

const plain = ({ title }: Pick<LessonStep, "title">): string => title.map(({ text }) => text).join("");

function doneOf({ id, checkText }: Pick<LessonStep, "id" | "checkText">, all: readonly DoneStep[]): LessonStep["done"] {
  const row = all.find(({ step, checkText: then }) => step === id && then === checkText);
  return row ? { at: new Date(row.doneAtMs).toISOString(), atMs: row.doneAtMs, because: row.because } : null;
}

function summaryOf(
  path: string,
  parsed: { lesson: ParsedLesson } | { fault: string },
  done: readonly DoneStep[],
): LessonSummary {
  const named = { path, course: courseOf(path) };
  if ("fault" in parsed) return { ...named, title: path, steps: 0, done: 0, fault: parsed.fault };
  const { title, steps } = parsed.lesson;
  const checked = steps.filter(({ check }) => check !== null);
  const own = done.filter((row) => row.path === path);
  return {
    ...{ ...named, title, steps: checked.length, fault: null },
    done: checked.filter((step) => doneOf(step, own) !== null).length,
  };
}

/** The name of its folder: lessons/first-steps/01-a.md is of the course "First steps". */
function courseOf(path: string): string {
  const name = (path.split("/").slice(1, -1).join(" · ") || "Lessons").replaceAll(/[-_]+/g, " ").trim();
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** Undefined: there is no such file. */
async function readText(
  files: Files,
  workspace: Workspace,
  path: string,
  maxBytes: number,
): Promise<{ text: string } | { fault: string } | undefined> {
  await using file = await files.open(workspace, path);
  if (!file) return undefined;
  if (file.size > maxBytes) return { fault: `The file has more than ${maxBytes / 1_024} KB.` };
  if (!file.isText) return { fault: "The file is not text in UTF-8." };
  const bytes = await readBytes(file.stream(), maxBytes);
  return bytes ? { text: new TextDecoder().decode(bytes) } : { fault: "The file is being written." };
}

/** A file may be deleted, or be written, while it is read; and a lesson may name one that no project can have. */
function noSuchFile(error: unknown): undefined {
  if (error instanceof Problem && error.status < 500) return undefined;
  throw error;
}
