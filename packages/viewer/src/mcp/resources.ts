import { join } from "node:path";
import { PASTE_ID_PATTERN, type PasteWithText, SCREENSHOTS_FOLDER, VIEWER_LIMITS } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type Variables,
} from "@modelcontextprotocol/server";
import { renderPastePage } from "../page/page.ts";
import type { PasteFileName, ViewerAccess } from "../services.ts";
import { MCP_LIMITS } from "./limits.ts";

/** The files of a screenshot, as resources. */
const PASTE_TEMPLATE = "viewer://pastes/{id}/{file}";
const TEXT_FILE = "text";

/** The page, for clients that support MCP Apps. */
export const WIDGET_URI = "ui://viewer/screenshot-paste.html";
const WIDGET_TYPE = "text/html;profile=mcp-app";

export const pasteUri = (id: string, file: PasteFileName): string => `viewer://pastes/${id}/${file}.png`;
export const textUri = (id: string): string => `viewer://pastes/${id}/${TEXT_FILE}`;

export const pasteResource = {
  title: "Pasted screenshots",
  description: [
    `The files of a screenshot: optimized.png, original.png and ${TEXT_FILE} (what can be read in the picture).`,
    `The list has the newest ${MCP_LIMITS.maxListed}. A file of more than ${MCP_LIMITS.maxBlobBytes / 1_000} kB is not sent: the error names its path instead.`,
  ].join(" "),
};

export const pasteTemplate = (access: ViewerAccess): ResourceTemplate =>
  new ResourceTemplate(PASTE_TEMPLATE, { list: () => listPastes(access) });

async function listPastes(access: ViewerAccess): Promise<ListResourcesResult> {
  const { pastes } = await access.list(MCP_LIMITS.maxListed);
  const resources = pastes.map(({ id, name, optimized, pastedAt }) => ({
    uri: pasteUri(id, "optimized"),
    name,
    title: name,
    description: `${optimized.path}, ${optimized.width}×${optimized.height}, pasted ${pastedAt}`,
    mimeType: "image/png",
    size: optimized.bytes,
  }));
  return { resources };
}

const FILES = new Map<unknown, PasteFileName>([
  ["optimized.png", "optimized"],
  ["original.png", "original"],
]);

export async function readPaste(access: ViewerAccess, uri: URL, { id, file }: Variables): Promise<ReadResourceResult> {
  const name = FILES.get(file);
  const isId = typeof id === "string" && new RegExp(PASTE_ID_PATTERN).test(id);
  if (!isId || (name === undefined && file !== TEXT_FILE)) throw new ResourceNotFoundError(uri.href);
  const paste = await access.get(id);
  if (paste === undefined) throw new ResourceNotFoundError(uri.href);
  if (name === undefined) {
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text: paste.text ?? "" }] };
  }
  const blob = await readBlob(access, paste, name);
  return { contents: [{ uri: uri.href, mimeType: "image/png", blob }] };
}

async function readBlob(access: ViewerAccess, paste: PasteWithText, name: PasteFileName): Promise<string> {
  const { bytes, path } = paste[name];
  if (bytes > MCP_LIMITS.maxBlobBytes) {
    const sizes = `${Math.ceil(bytes / 1_000)} kB, more than the ${MCP_LIMITS.maxBlobBytes / 1_000} kB that fit into a response`;
    throw refusal(`The file has ${sizes}. Read it from the disk: ${join(access.project, path)}`);
  }
  try {
    return (await access.readFile(paste.id, name)).toString("base64");
  } catch (error) {
    throw error instanceof Problem ? refusal(`${error.code}: ${error.message}`) : error;
  }
}

const refusal = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** The page loads nothing and connects to nothing: it only talks to the client that shows it. */
const UI = { prefersBorder: true, permissions: { clipboardWrite: {} } };

export const widgetResource = {
  title: "Paste a screenshot",
  description: "The page for pasting screenshots, for clients that show such pages.",
  mimeType: WIDGET_TYPE,
  _meta: { ui: UI },
};

/** The page without a token: the client decides what it may do. */
export async function readWidget(project: string): Promise<ReadResourceResult> {
  const html = renderPastePage({
    url: "",
    folder: `${SCREENSHOTS_FOLDER}/`,
    maxUploadBytes: VIEWER_LIMITS.maxInlineImageBytes,
    project,
    isApp: true,
  });
  return { contents: [{ uri: WIDGET_URI, mimeType: WIDGET_TYPE, text: html, _meta: { ui: UI } }] };
}
