import { LESSON_LIMITS, type Lesson, type LessonStep } from "@backplane/contract/panels";
import { parseCheck } from "./parse-check.ts";
import { parseBlocks, parseSpans } from "./parse-text.ts";

const { maxSteps, maxHintsPerStep, maxLessonBytes } = LESSON_LIMITS;

export type ParsedStep = Omit<LessonStep, "done">;
export type ParsedLesson = Pick<Lesson, "title" | "text"> & { steps: ParsedStep[] };

const CHECK = "done when:";
const HINT = "hint:";
const MAX_TITLE = 200;
const MAX_ID = 60;

/**
 * A lesson: `# Title`, text, and steps that begin with `## `. In a step, a line "Done when: …" is its check, and lines "Hint: …"
 * are shown when they are asked for. Returns what is wrong with the file as a sentence.
 */
export function parseLesson(source: string): { lesson: ParsedLesson } | { fault: string } {
  // A limit of bytes; a character has at least one.
  if (source.length > maxLessonBytes) return { fault: `A lesson has at most ${maxLessonBytes / 1_024} KB.` };
  let title: string | undefined;
  const intro: string[] = [];
  const sections: Section[] = [];
  let isCode = false;

  for (const [index, line] of source.split(/\r\n|\r|\n/).entries()) {
    const current = sections.at(-1);
    if (line.trimStart().startsWith("```")) isCode = !isCode;
    const heading = isCode ? undefined : headingOf(line);
    if (heading?.level === 1 && title === undefined && sections.length === 0) title = heading.text;
    else if (heading?.level === 2) {
      if (sections.length === maxSteps) return { fault: `A lesson has at most ${maxSteps} steps.` };
      sections.push({ title: heading.text, lines: [], hints: [], check: undefined });
    } else if (current) {
      const fault = takeLine(current, line, isCode);
      if (fault !== undefined) return { fault: `Line ${index + 1}: ${fault}` };
    } else intro.push(line);
  }
  if (title === undefined) return { fault: 'A lesson begins with a line such as "# Run a motor".' };
  const steps = stepsOf(sections);
  return "fault" in steps ? steps : { lesson: { title, text: parseBlocks(intro), steps: steps.steps } };
}

type Section = { title: string; lines: string[]; hints: string[]; check: string | undefined };

function takeLine(section: Section, line: string, isCode: boolean): string | undefined {
  const text = line.trim();
  const lower = isCode ? "" : text.slice(0, CHECK.length).toLowerCase();
  if (lower.startsWith(CHECK)) {
    if (section.check !== undefined) return "A step has one check. Make two steps of it.";
    section.check = text.slice(CHECK.length).trim();
  } else if (lower.startsWith(HINT)) {
    if (section.hints.length === maxHintsPerStep) return `A step has at most ${maxHintsPerStep} hints.`;
    section.hints.push(text.slice(HINT.length).trim());
  } else section.lines.push(line);
  return undefined;
}

/** `# ` and `## `; deeper ones are text of the step. */
function headingOf(line: string): { level: number; text: string } | undefined {
  const level = line.startsWith("# ") ? 1 : line.startsWith("## ") ? 2 : 0;
  const text = line.slice(level + 1, level + 1 + MAX_TITLE).trim();
  return level > 0 && text !== "" ? { level, text } : undefined;
}

function stepsOf(sections: readonly Section[]): { steps: ParsedStep[] } | { fault: string } {
  const steps: ParsedStep[] = [];
  const taken = new Map<string, number>();
  for (const [index, section] of sections.entries()) {
    const parsed = section.check === undefined ? undefined : parseCheck(section.check);
    if (parsed && "fault" in parsed) return { fault: `Step ${index + 1}: ${parsed.fault}` };
    steps.push({
      id: newId(section.title, taken),
      title: parseSpans(section.title),
      text: parseBlocks(section.lines),
      hints: section.hints.map(parseSpans),
      check: parsed?.check ?? null,
      checkText: section.check ?? "",
    });
  }
  return { steps };
}

/** What is remembered goes by it: a step keeps it when others are added before it. */
function newId(title: string, taken: Map<string, number>): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const id = words.join("-").slice(0, MAX_ID) || "step";
  const count = (taken.get(id) ?? 0) + 1;
  taken.set(id, count);
  return count === 1 ? id : `${id}--${count}`;
}
