import assert from "node:assert/strict";
import { test } from "node:test";
import { LESSON_LIMITS, type LessonBlock, type LessonSpan } from "@backplane/contract/panels";
import { parseCheck } from "./parse-check.ts";
import { parseLesson } from "./parse-lesson.ts";
import { parseSpans } from "./parse-text.ts";
import { SAMPLE_LESSONS } from "./samples.ts";

const lessonOf = (text: string) => {
  const parsed = parseLesson(text);
  assert.ok("lesson" in parsed, JSON.stringify(parsed));
  return parsed.lesson;
};
const faultOf = (text: string) => {
  const parsed = parseLesson(text);
  assert.ok("fault" in parsed, "it was accepted");
  return parsed.fault;
};
const checkOf = (text: string) => {
  const parsed = parseCheck(text);
  return "check" in parsed ? parsed.check : parsed.fault;
};

test("a lesson has a title, text and steps with checks and hints", () => {
  const { title, text, steps } = lessonOf(
    [
      ...[
        "# Hold a speed",
        "",
        "Close the **loop**:",
        "- measure",
        "- compare",
        "",
        "## Run at 5 rad/s",
        "Use `kp`.",
        "",
      ],
      ...["Done when: */motor/velocity_rad_s between 4.5 and 5.5 for 2 s", "Hint: Hold it.", "## Read on", "```"],
      ...["## not a step", "Done when: nothing", "```", "## Run at 5 rad/s"],
    ].join("\r\n"),
  );
  assert.equal(title, "Hold a speed");
  assert.deepEqual(text, [
    { type: "paragraph", spans: [{ text: "Close the " }, { text: "loop", look: "strong" }, { text: ":" }] },
    { type: "list", isNumbered: false, items: [[{ text: "measure" }], [{ text: "compare" }]] },
  ] satisfies LessonBlock[]);
  assert.deepEqual(
    steps.map(({ id, check }) => [id, check?.type ?? null]),
    [
      ["run-at-5-rad-s", "value"],
      ["read-on", null],
      ["run-at-5-rad-s--2", null],
    ],
  );
  assert.deepEqual(steps[0]?.hints, [[{ text: "Hold it." }]]);
  assert.deepEqual(steps[1]?.text, [{ type: "code", text: "## not a step\nDone when: nothing" }]);
});

test("checks: device or any, comparison, time; and files", () => {
  const place = { type: "value", device: null, capability: "motor", field: "velocity_rad_s" };
  assert.deepEqual(checkOf("*/motor/velocity_rad_s between 4.5 and 5.5 for 2 s"), {
    ...{ ...place, compare: { is: "between", from: 4.5, to: 5.5 }, holdMs: 2_000 },
  });
  assert.deepEqual(checkOf("*/motor/velocity_rad_s <= -1e-3 for 1.5 min"), {
    ...{ ...place, compare: { is: "<=", than: -0.001 }, holdMs: 90_000 },
  });
  assert.deepEqual(checkOf("rover-1/strip/on = true"), {
    ...{ type: "value", device: "rover-1", capability: "strip", field: "on" },
    ...{ compare: { is: "=", than: true }, holdMs: 0 },
  });
  assert.deepEqual(checkOf("a/b/c = 1e999"), {
    ...{ type: "value", device: "a", capability: "b", field: "c" },
    ...{ compare: { is: "=", than: "1e999" }, holdMs: 0 },
  });
  assert.deepEqual(checkOf('a/b/state != "not ready"'), {
    ...{ type: "value", device: "a", capability: "b", field: "state" },
    ...{ compare: { is: "!=", than: "not ready" }, holdMs: 0 },
  });
  assert.deepEqual(checkOf('file notes/a.md contains "5 %"'), { type: "file", path: "notes/a.md", contains: "5 %" });
  assert.deepEqual(checkOf("file notes/a.md"), { type: "file", path: "notes/a.md", contains: null });
  assert.deepEqual(checkOf("script a/b.js"), { type: "script", path: "a/b.js", compare: null });
  assert.deepEqual(checkOf('Script a/b.js = "in range"'), {
    ...{ type: "script", path: "a/b.js", compare: { is: "=", than: "in range" } },
  });
  for (const wrong of [
    ...[
      "",
      "motor",
      "a/b > 1",
      "a/b/c/d > 1",
      "a/b/c",
      "a/b/c >",
      "a/b/c > fast",
      "a/b/c ~ 1",
      "a/b/c between 2 and 1",
      "script",
      "script a/b.js =",
      "script a/b.js > fast",
    ],
    ...["a/b/c > 1 for ever", "a/b/c > 1 for 2 h", "a/b/c > 1 for -1 s", "a/b/c > 1 for 6 min", "a/../c > 1", "file"],
    ...["a/b/c > 1e999", `a/b/c < ${"9".repeat(400)}`, "a/b/c between 0 and 1e999", "a/b/c > 1 for 1e999 s"],
    ...["file a.md has x", "__proto__/b/c > 1", "a/b/c > 1 for 2 constructor"],
  ]) {
    assert.equal(typeof checkOf(wrong), "string", wrong);
  }
});

test("a file with a fault says which line or step is wrong", () => {
  assert.match(faultOf("no title"), /begins with a line such as/);
  assert.match(faultOf("# A\n## B\nDone when: a/b/c > 1\nDone when: a/b/c > 2"), /^Line 4: A step has one check/);
  assert.match(faultOf("# A\n## B\nDone when: soon"), /^Step 1: "soon" is not device\/capability\/field/);
  assert.match(faultOf(`# A\n## B\n${"Hint: x\n".repeat(6)}`), /at most 5 hints/);
  assert.match(faultOf(`# A\n${"## B\n".repeat(LESSON_LIMITS.maxSteps + 1)}`), /at most 50 steps/);
  assert.match(faultOf(`# A\n${"x".repeat(LESSON_LIMITS.maxLessonBytes)}`), /at most 64 KB/);
});

test("HTML is text, and links open panels and files of the project only", () => {
  assert.deepEqual(parseSpans("<img src=x onerror=alert(1)> *<b>*"), [
    { text: "<img src=x onerror=alert(1)> " },
    { text: "<b>", look: "emphasis" },
  ]);
  assert.deepEqual(parseSpans("[a](panel:motor)[b](notes/b.md)"), [
    { text: "a", panel: "motor" },
    { text: "b", file: "notes/b.md" },
  ]);
  for (const target of [
    ...["javascript:alert", "https://example.com/", "//example.com", "../secret", "a/../b", "data:text/html,x"],
    ...["panel:../x", "JaVaScRiPt:x", "/etc/x", "a?b", "a#b", "c:\\x", "file:x"],
  ]) {
    const [span] = parseSpans(`[label](${target})`);
    assert.deepEqual(span, { text: `label (${target})` } satisfies LessonSpan, target);
  }
  assert.deepEqual(parseSpans("2 * 3 * 4, [x] (y), `open"), [{ text: "2 * 3 * 4, [x] (y), `open" }]);
});

test("hostile text takes no longer than other text of its size", () => {
  const { maxLessonBytes } = LESSON_LIMITS;
  const pieces = [
    "[",
    "*",
    "**",
    "`",
    "[a](",
    "](",
    "![",
    "*a **b ",
    "- ",
    "<",
    "```\n",
    "> ",
    "1. ",
    "\n\n",
    "# ",
    "\t",
  ];
  for (const piece of pieces) {
    const body = piece.repeat(Math.floor((maxLessonBytes - 10) / piece.length));
    const parsed = parseLesson(`# A\n${body}`);
    assert.ok("lesson" in parsed || parsed.fault !== "", piece);
  }
  assert.ok("fault" in parseCheck(`${"9".repeat(60_000)}/x/y > 1`));
  assert.ok("fault" in parseCheck(`a/b/c between ${"9 and ".repeat(10_000)}`));
});

test("the samples are lessons whose steps all have a check, beginning with a device", () => {
  for (const { path, text } of SAMPLE_LESSONS) {
    const { steps } = lessonOf(text);
    assert.match(path, /^lessons\/first-steps\/\d\d-[a-z-]+\.md$/);
    assert.ok(steps.length >= 2 && steps.every(({ check, hints }) => check !== null && hints.length > 0), path);
    assert.equal(steps[0]?.check?.type, "value");
  }
});
