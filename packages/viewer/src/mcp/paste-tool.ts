import { MAX_DIMENSION, SCREENSHOTS_FOLDER, VIEWER_LIMITS, Widget } from "@backplane/contract/viewer";
import { inputReader, listed } from "@backplane/kit/mcp";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { Type } from "typebox";
import type { ViewerAccess } from "../services.ts";
import { WIDGET_URI } from "./resources.ts";

const Input = Type.Object(
  {
    title: Type.Optional(
      Type.String({
        maxLength: VIEWER_LIMITS.maxTitleCharacters,
        description: "Title that the person sees above the page, for example: Paste the error dialog",
      }),
    ),
  },
  { additionalProperties: false },
);
const readInput = inputReader(Input);

export const PASTE_TOOL = "av_screenshot_paste";

export const pasteTool = {
  title: "Open the screenshot page",
  description: [
    "Opens the page for pasting screenshots in the active viewer panel of the workspace, and returns its address at once.",
    "It does not wait for a paste: to wait for one, call av_screenshot_latest with wait_seconds.",
    `Each screenshot is saved in ${SCREENSHOTS_FOLDER}/ of the project: a copy of at most ${MAX_DIMENSION} px and the original, both named after what they show.`,
  ].join(" "),
  inputSchema: listed(Input),
  outputSchema: listed(Widget),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  _meta: { ui: { resourceUri: WIDGET_URI }, "ui/resourceUri": WIDGET_URI },
};

export async function openPage(access: ViewerAccess, input: unknown): Promise<CallToolResult> {
  const { title } = readInput(input);
  const widget = await access.openWidget(title);
  return {
    content: [
      { type: "text", text: sentences(widget) },
      { type: "resource_link", uri: widget.url, name: "screenshot-paste", title: widget.title, mimeType: "text/html" },
    ],
    structuredContent: { ...widget },
  };
}

function sentences({ status, url, workspace, reason, folder }: Widget): string {
  const where = status === "opened" ? `Open in the workspace ${workspace}: ${url}` : `Not opened in a panel: ${url}`;
  const why = reason === null ? [] : [reason];
  return [
    where,
    ...why,
    `Screenshots go to ${folder}. Call av_screenshot_latest with wait_seconds for the next one.`,
  ].join("\n");
}
