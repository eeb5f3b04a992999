import { join } from "node:path";
import { NamedBy, PasteFile, type PasteWithText } from "@backplane/contract/viewer";
import type { CallToolResult, ResourceLink } from "@modelcontextprotocol/server";
import { type Static, Type } from "typebox";
import type { PasteFileName } from "../services.ts";
import { MCP_LIMITS } from "./limits.ts";
import { pasteUri, textUri } from "./resources.ts";

const FoundFile = Type.Object({ ...PasteFile.properties, absolutePath: Type.String() });

/** What `av_screenshot_latest` returns. Without a screenshot there are only status and hint. */
export const Latest = Type.Object({
  status: Type.Union([Type.Literal("found"), Type.Literal("none")]),
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  /** False: a better name may follow. */
  isNamed: Type.Optional(Type.Boolean()),
  namedBy: Type.Optional(Type.Union([NamedBy, Type.Null()])),
  optimized: Type.Optional(FoundFile),
  original: Type.Optional(FoundFile),
  suggestions: Type.Optional(Type.Array(Type.String())),
  text: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  pastedAt: Type.Optional(Type.String()),
  hint: Type.Optional(Type.String()),
});
type Latest = Static<typeof Latest>;

export function foundAnswer(paste: PasteWithText, project: string): CallToolResult {
  const placed = (file: PasteFile) => ({ ...file, absolutePath: join(project, file.path) });
  const found: Required<Omit<Latest, "hint">> = {
    status: "found",
    id: paste.id,
    name: paste.name,
    isNamed: paste.status === "named",
    namedBy: paste.namedBy,
    optimized: placed(paste.optimized),
    original: placed(paste.original),
    suggestions: paste.suggestions,
    text: paste.text,
    pastedAt: paste.pastedAt,
  };
  const lines = [
    found.optimized.absolutePath,
    `Original: ${found.original.absolutePath}`,
    `Name: ${paste.name}. ${sizeOf(paste.optimized)}, the original ${sizeOf(paste.original)}. Pasted ${paste.pastedAt}.`,
    ...(paste.suggestions.length > 1
      ? [`Other names: ${paste.suggestions.filter((name) => name !== paste.name).join(", ")}`]
      : []),
    ...textLines(paste),
  ];
  return {
    content: [
      { type: "text", text: lines.join("\n") },
      linkTo(paste, "optimized", paste.optimized),
      linkTo(paste, "original", paste.original),
    ],
    structuredContent: found,
  };
}

export function noneAnswer(hint: string): CallToolResult {
  const none: Latest = { status: "none", hint };
  return { content: [{ type: "text", text: hint }], structuredContent: none };
}

const sizeOf = ({ width, height, bytes }: PasteFile): string => `${width}×${height}, ${Math.ceil(bytes / 1_000)} kB`;

function textLines({ id, text }: PasteWithText): string[] {
  if (text === null || text === "") return [];
  const { maxSaidCharacters } = MCP_LIMITS;
  if (text.length <= maxSaidCharacters) return ["Text in the picture:", text];
  return [`Start of the text in the picture; all of it is at ${textUri(id)}:`, text.slice(0, maxSaidCharacters)];
}

const linkTo = ({ id, name }: PasteWithText, file: PasteFileName, { bytes }: PasteFile): ResourceLink => ({
  type: "resource_link",
  uri: pasteUri(id, file),
  name: file === "optimized" ? name : `${name}-original`,
  mimeType: "image/png",
  size: bytes,
});
