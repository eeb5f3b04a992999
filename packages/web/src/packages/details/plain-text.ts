import { safeLink } from "./links.ts";

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "link"; text: string; href: string };

export type Block =
  | { kind: "paragraph"; inlines: Inline[] }
  | { kind: "list"; ordered: boolean; items: Inline[][] }
  | { kind: "code"; text: string };

const FENCE = /^\s*```/;
const BULLET = /^\s*[-*•]\s+(?=\S)/;
const NUMBER = /^\s*[0-9]{1,3}[.)]\s+(?=\S)/;

/**
 * Turns untrusted text into blocks: paragraphs, lists, code. Any other markup stays plain text; nothing that is not
 * listed here can come out.
 */
export function readPlainText(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  while (lines.length > 0) {
    const [line = ""] = lines;
    if (line.trim() === "") lines.shift();
    else if (FENCE.test(line)) blocks.push(takeCode(lines));
    else if (BULLET.test(line)) blocks.push(takeList(lines, BULLET));
    else if (NUMBER.test(line)) blocks.push(takeList(lines, NUMBER));
    else blocks.push(takeParagraph(lines));
  }
  return blocks;
}

function takeCode(lines: string[]): Block {
  lines.shift();
  const end = lines.findIndex((line) => FENCE.test(line));
  const taken = lines.splice(0, end < 0 ? lines.length : end);
  lines.shift();
  return { kind: "code", text: taken.join("\n") };
}

function takeList(lines: string[], mark: RegExp): Block {
  const items: string[] = [];
  while (lines[0] !== undefined && lines[0].trim() !== "" && !FENCE.test(lines[0])) {
    const line = lines[0];
    if (mark.test(line)) items.push(line.replace(mark, ""));
    // An indented line continues the item above it.
    else if (/^\s/.test(line)) items.push(`${items.pop() ?? ""} ${line.trim()}`);
    else break;
    lines.shift();
  }
  return { kind: "list", ordered: mark === NUMBER, items: items.map(readInlines) };
}

function takeParagraph(lines: string[]): Block {
  const end = lines.findIndex((line) => line.trim() === "" || FENCE.test(line) || BULLET.test(line));
  const taken = lines.splice(0, end < 0 ? lines.length : end);
  return { kind: "paragraph", inlines: readInlines(taken.map((line) => line.trim()).join("\n")) };
}

const CODE_OR_ADDRESS = /`([^`\n]+)`|https?:\/\/[^\s<>"`]+/gi;

/** Splits a line into `code`, links and plain text. */
export function readInlines(text: string): Inline[] {
  const found: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(CODE_OR_ADDRESS)) {
    const [whole, code] = match;
    const address = code === undefined ? withoutTail(whole) : undefined;
    const href = address === undefined ? undefined : safeLink(address);
    if (code === undefined && href === undefined) continue;
    if (match.index > from) found.push({ kind: "text", text: text.slice(from, match.index) });
    if (address !== undefined && href !== undefined) found.push({ kind: "link", text: address, href });
    else found.push({ kind: "code", text: code ?? "" });
    from = match.index + (address ?? whole).length;
  }
  if (from < text.length) found.push({ kind: "text", text: text.slice(from) });
  return found;
}

/** Drops the punctuation that follows an address, and a closing bracket that was opened before it. */
function withoutTail(address: string): string {
  const end = address.replace(/[.,;:!?'*_\]}]+$/, "");
  const opened = end.split("(").length;
  return end.endsWith(")") && end.split(")").length > opened ? withoutTail(end.slice(0, -1)) : end;
}
