import type { PasteFileName } from "../services.ts";

/** The files of a screenshot, as resources. */
export const PASTE_TEMPLATE = "viewer://pastes/{id}/{file}";
export const TEXT_FILE = "text";

/** The page for clients that show such pages themselves (MCP Apps). */
export const WIDGET_URI = "ui://viewer/screenshot-paste.html";
export const WIDGET_TYPE = "text/html;profile=mcp-app";

export const pasteUri = (id: string, file: PasteFileName): string => `viewer://pastes/${id}/${file}.png`;
export const textUri = (id: string): string => `viewer://pastes/${id}/${TEXT_FILE}`;
