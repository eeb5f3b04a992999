import type { LessonBlock, LessonSpan } from "@backplane/contract/panels";

/** A link is looked for in this many characters: so text full of brackets takes no longer than other text. */
const MAX_LABEL = 200;
const MAX_TARGET = 500;

const PANEL_KIND = /^panel:([a-z0-9-]{1,64})$/;

/**
 * Text of one paragraph as spans: `code`, **strong**, *emphasis* and [links](panel:motor). Anything else, HTML included, is
 * plain text. Every character is looked at a limited number of times.
 */
export function parseSpans(text: string): LessonSpan[] {
  const spans: LessonSpan[] = [];
  /** Marks that do not occur again. */
  const ended = new Set<string>();
  let plainFrom = 0;
  let at = 0;

  const flush = () => {
    if (at > plainFrom) spans.push({ text: text.slice(plainFrom, at) });
  };
  const closing = (mark: string): number => {
    if (ended.has(mark)) return -1;
    const found = text.indexOf(mark, at + mark.length);
    if (found < 0) ended.add(mark);
    return found;
  };
  const styled = (mark: string, look: NonNullable<LessonSpan["look"]>): boolean => {
    const end = closing(mark);
    const inner = text.slice(at + mark.length, end < 0 ? at : end);
    // "a * b * c" is arithmetic.
    if (end < 0 || inner === "" || (look !== "code" && inner.trim() !== inner)) return false;
    flush();
    spans.push({ text: inner, look });
    at = end + mark.length;
    plainFrom = at;
    return true;
  };
  const linked = (): boolean => {
    const window = text.slice(at, at + MAX_LABEL + MAX_TARGET + 4);
    const middle = window.indexOf("](");
    const end = middle < 0 ? -1 : window.indexOf(")", middle);
    const label = window.slice(1, Math.max(1, middle));
    if (end < 0 || label.includes("[")) return false;
    const target = window.slice(middle + 2, end).trim();
    if (label.trim() === "" || label.length > MAX_LABEL || target.length > MAX_TARGET) return false;
    flush();
    spans.push({ text: label, ...targetOf(target, label) });
    at += end + 1;
    plainFrom = at;
    return true;
  };

  while (at < text.length) {
    const mark = text[at];
    const isTaken =
      (mark === "`" && styled("`", "code")) ||
      (mark === "*" && (text.startsWith("**", at) ? styled("**", "strong") : styled("*", "emphasis"))) ||
      (mark === "[" && linked());
    if (!isTaken) at += 1;
  }
  flush();
  return spans;
}

/** There are no links out of the project: where one would lead is written behind its text. */
function targetOf(target: string, label: string): Partial<LessonSpan> {
  const panel = PANEL_KIND.exec(target)?.[1];
  if (panel !== undefined) return { panel };
  const isPath = !/^[a-z][a-z0-9+.-]*:/i.test(target) && !/^[/\\]|(?:^|\/)\.\.?(?:\/|$)|[\\#?]/.test(target);
  return isPath && target !== "" ? { file: target } : { text: target === "" ? label : `${label} (${target})` };
}

const FENCE = "```";
const HEADING = /^#{1,6} /;
const NUMBERED = /^\d{1,3}[.)] /;

/** Paragraphs, lists and blocks of code. */
export function parseBlocks(lines: readonly string[]): LessonBlock[] {
  const blocks: LessonBlock[] = [];
  let paragraph: string[] = [];
  let list: { isNumbered: boolean; items: string[][] } | undefined;
  let code: string[] | undefined;

  function end(): void {
    if (paragraph.length > 0) blocks.push({ type: "paragraph", spans: parseSpans(paragraph.join(" ")) });
    if (list) {
      const items = list.items.map((item) => parseSpans(item.join(" ")));
      blocks.push({ type: "list", isNumbered: list.isNumbered, items });
    }
    if (code) blocks.push({ type: "code", text: code.join("\n") });
    paragraph = [];
    list = undefined;
    code = undefined;
  }

  for (const line of lines) {
    const text = line.trim();
    const isFence = text.startsWith(FENCE);
    if (code) {
      if (isFence) end();
      else code.push(line);
      continue;
    }
    const isNumbered = NUMBERED.test(text);
    if (isFence) {
      end();
      code = [];
    } else if (text === "") end();
    else if (HEADING.test(text)) {
      end();
      blocks.push({ type: "paragraph", spans: [{ text: text.replace(HEADING, ""), look: "strong" }] });
    } else if (isNumbered || text.startsWith("- ") || text.startsWith("* ")) {
      if (paragraph.length > 0 || (list && list.isNumbered !== isNumbered)) end();
      list ??= { isNumbered, items: [] };
      list.items.push([text.slice(text.indexOf(" ") + 1).trim()]);
    } else if (list) list.items.at(-1)?.push(text);
    else paragraph.push(text);
  }
  end();
  return blocks;
}
