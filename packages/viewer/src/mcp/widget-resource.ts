import { SCREENSHOTS_FOLDER, VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { renderPastePage } from "../page/page.ts";
import { WIDGET_TYPE, WIDGET_URI } from "./addresses.ts";

/** It loads nothing and connects nowhere: it speaks to the client that shows it, and to nobody else. */
const UI = { prefersBorder: true, permissions: { clipboardWrite: {} } };

export const widgetResource = {
  title: "Paste a screenshot",
  description: "The page for pasting screenshots, for clients that show such pages.",
  mimeType: WIDGET_TYPE,
  _meta: { ui: UI },
};

/** Without a token: what it may do, its client lets it do. */
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
