// Lessons: Markdown files of a project, with steps that are done when a device, a file or a script says so.
import { type Static, Type } from "typebox";

export const LESSON_LIMITS = {
  /** Lessons are the .md files in this folder of the project, and in folders in it. */
  folder: "lessons",
  maxLessons: 100,
  maxLessonBytes: 65_536,
  maxSteps: 50,
  maxHintsPerStep: 5,
  /** A check holds for at most this long: values of the last ten minutes are in memory. */
  maxHoldMs: 300_000,
  /** Values further apart than this do not count as one stretch of time: nobody knows what was in between. */
  maxGapMs: 3_000,
  /** How long after a value has held it may still be reported. */
  reportWithinMs: 15_000,
  /** Devices that are looked at for a check that names none. */
  maxDevicesPerCheck: 16,
  /** Of a file that a check reads. */
  maxCheckedFileBytes: 1_048_576,
  /** Steps that are remembered per person and workspace; the oldest are forgotten. */
  maxDoneSteps: 2_000,
} as const;

/** Text with one look. A link opens a panel, or a file of the project; there are no others. */
export const LessonSpan = Type.Object({
  text: Type.String(),
  look: Type.Optional(Type.Enum(["code", "strong", "emphasis"])),
  panel: Type.Optional(Type.String({ description: "The link opens a panel of this kind", examples: ["motor"] })),
  file: Type.Optional(Type.String({ description: "The link opens this file", examples: ["notes/motor.md"] })),
});
export type LessonSpan = Static<typeof LessonSpan>;

export const LessonBlock = Type.Union([
  Type.Object({ type: Type.Literal("paragraph"), spans: Type.Array(LessonSpan) }),
  Type.Object({
    ...{ type: Type.Literal("list"), isNumbered: Type.Boolean() },
    items: Type.Array(Type.Array(LessonSpan)),
  }),
  Type.Object({ type: Type.Literal("code"), text: Type.String() }),
]);
export type LessonBlock = Static<typeof LessonBlock>;

const COMPARED = Type.Union([Type.Number(), Type.Boolean(), Type.String()]);
export const Compare = Type.Union([
  Type.Object({ is: Type.Enum(["<", "<=", ">", ">="]), than: Type.Number() }),
  Type.Object({ is: Type.Enum(["=", "!="]), than: COMPARED }),
  Type.Object({ is: Type.Literal("between"), from: Type.Number(), to: Type.Number() }),
]);
export type Compare = Static<typeof Compare>;

export const LessonCheck = Type.Union([
  Type.Object({
    type: Type.Literal("value"),
    device: Type.Union([Type.String(), Type.Null()], { description: "Null: any device", examples: ["sim-motor"] }),
    capability: Type.String({ description: "Its id or its kind", examples: ["motor"] }),
    field: Type.String({ examples: ["velocity_rad_s"] }),
    compare: Compare,
    holdMs: Type.Integer({ description: "For how long, without a break", examples: [2_000] }),
  }),
  Type.Object({
    type: Type.Literal("file"),
    path: Type.String({ examples: ["notes/motor.md"] }),
    contains: Type.Union([Type.String(), Type.Null()], { examples: ["%"] }),
  }),
  Type.Object({
    type: Type.Literal("script"),
    path: Type.String({ examples: ["scripts/mean.js"] }),
    compare: Type.Union([Compare, Type.Null()], { description: "With its result. Null: it only has to end well" }),
  }),
]);
export type LessonCheck = Static<typeof LessonCheck>;
export type ValueCheck = Extract<LessonCheck, { type: "value" }>;

/** How a script of the project ended. It runs in the browser of the person, who says it. */
export const ScriptRun = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 500, examples: ["scripts/mean.js"] }),
  isOk: Type.Boolean({ description: "It ended without an error" }),
  result: Type.Union([Type.Number(), Type.Boolean(), Type.String({ maxLength: 1_000 }), Type.Null()], {
    ...{ description: "Its default export, if that is a number, a text, true or false", examples: [21.5] },
  }),
});
export type ScriptRun = Static<typeof ScriptRun>;

const STEP_ID = Type.String({ minLength: 1, maxLength: 80, examples: ["run-at-5-rad-s-for-2-seconds"] });
const DONE = Type.Object({
  at: Type.String(),
  atMs: Type.Number({ examples: [1_794_839_460_000] }),
  because: Type.String({ description: "What was seen", examples: ["sim-motor: velocity_rad_s was 5.02 for 2 s"] }),
});
export const LessonStep = Type.Object({
  ...{ id: STEP_ID, title: Type.Array(LessonSpan), text: Type.Array(LessonBlock) },
  hints: Type.Array(Type.Array(LessonSpan)),
  check: Type.Union([LessonCheck, Type.Null()], { description: "Null: there is only something to read" }),
  checkText: Type.String({ examples: ["*/motor/velocity_rad_s between 4.5 and 5.5 for 2 s"] }),
  done: Type.Union([DONE, Type.Null()], { description: "By the person who asks" }),
});
export type LessonStep = Static<typeof LessonStep>;

/** GET …/current/lessons/{path} */
export const Lesson = Type.Object({
  ...{ path: Type.String({ examples: ["lessons/first-steps/02-run-a-motor.md"] }), title: Type.String() },
  ...{ text: Type.Array(LessonBlock), steps: Type.Array(LessonStep) },
});
export type Lesson = Static<typeof Lesson>;

export const LessonSummary = Type.Object({
  path: Type.String({ examples: ["lessons/first-steps/02-run-a-motor.md"] }),
  course: Type.String({ description: "The name of its folder", examples: ["First steps"] }),
  title: Type.String({ examples: ["Run a motor"] }),
  steps: Type.Integer({ description: "Steps with a check", examples: [3] }),
  done: Type.Integer({ description: "Of them, by the person who asks", examples: [1] }),
  fault: Type.Union([Type.String(), Type.Null()], { description: "Why it cannot be shown", examples: [null] }),
});
export type LessonSummary = Static<typeof LessonSummary>;
/** GET …/current/lessons. Samples: files that a project without lessons can begin with. */
export const Lessons = Type.Object({
  lessons: Type.Array(LessonSummary),
  samples: Type.Array(
    Type.Object({
      path: Type.String({ examples: ["lessons/first-steps/02-run-a-motor.md"] }),
      text: Type.String({ examples: ["# Run a motor\n"] }),
    }),
  ),
});
export type Lessons = Static<typeof Lessons>;

/** POST …/current/lessons/{path} */
export const ReportStep = Type.Object({
  step: STEP_ID,
  run: Type.Optional(ScriptRun),
});
export const ReportedStep = Type.Object({
  isDone: Type.Boolean(),
  why: Type.Union([Type.String(), Type.Null()], { description: "Why not yet", examples: [null] }),
  lesson: Lesson,
});
export type ReportedStep = Static<typeof ReportedStep>;
