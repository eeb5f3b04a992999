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
  const lines: Lines = { all: text.replace(/\r\n?/g, "\n").split("\n"), at: 0 };
  for (let line = lines.all[0]; line !== undefined; line = lines.all[lines.at]) {
    if (line.trim() === "") lines.at += 1;
    else if (FENCE.test(line)) blocks.push(takeCode(lines));
    else if (BULLET.test(line)) blocks.push(takeList(lines, BULLET));
    else if (NUMBER.test(line)) blocks.push(takeList(lines, NUMBER));
    else blocks.push(takeParagraph(lines));
  }
  return blocks;
}

/** `at`: the first line that was not taken yet. */
type Lines = { readonly all: readonly string[]; at: number };

function takeUntil(lines: Lines, isEnd: (line: string) => boolean): string[] {
  const from = lines.at;
  while (lines.at < lines.all.length && !isEnd(lines.all[lines.at] ?? "")) lines.at += 1;
  return lines.all.slice(from, lines.at);
}

function takeCode(lines: Lines): Block {
  lines.at += 1;
  const taken = takeUntil(lines, (line) => FENCE.test(line));
  lines.at += 1;
  return { kind: "code", text: taken.join("\n") };
}

function takeList(lines: Lines, mark: RegExp): Block {
  const items: string[] = [];
  // An indented line continues the item above it.
  const isItsLine = (line: string) => mark.test(line) || (/^\s/.test(line) && line.trim() !== "" && !FENCE.test(line));
  for (const line of takeUntil(lines, (next) => !isItsLine(next))) {
    if (mark.test(line)) items.push(line.replace(mark, ""));
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return { kind: "list", ordered: mark === NUMBER, items: items.map(readInlines) };
}

function takeParagraph(lines: Lines): Block {
  const taken = takeUntil(lines, (line) => line.trim() === "" || FENCE.test(line) || BULLET.test(line));
  return { kind: "paragraph", inlines: readInlines(taken.map((line) => line.trim()).join("\n")) };
}

const PUNCTUATION: ReadonlySet<string> = new Set(".,;:!?'*_]}");
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
  let unopened = address.split(")").length - address.split("(").length;
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    if (last === ")" && unopened > 0) unopened -= 1;
    else if (!PUNCTUATION.has(last)) break;
  }
  return address.slice(0, end);
}
