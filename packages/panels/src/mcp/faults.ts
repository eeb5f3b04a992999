import type { ProblemCode } from "@backplane/contract/problems";
import type { Advice, Refusal, WorkspaceTools } from "@backplane/kit/mcp";

const IDS = "Call panel_list for the ids that are open now.";

export const PANEL_ADVICE: WorkspaceTools["advice"] = {
  "invalid-input": () => "Some arguments are wrong.",
  "panel-unknown": (what) => `${what} ${IDS}`,
  "tab-unknown": (what) => `${what} ${IDS}`,
  "panel-type-unknown": (what) => `${what} Use one of the kinds that the description of panel_open names.`,
  "wrong-panel-type": (what) => `${what} Show the tab that you mean with panel_focus, or open one with panel_open.`,
  "singleton-panel": (what) => `${what} Show it with panel_focus.`,
  "not-rendered": (what) => `${what} Show the tab with panel_focus, or open one with panel_open, then call again.`,
  "layout-changed": (what) => `${what} Call panel_list, then try again.`,
  "file-changed": (what) => `${what} Call schematic_read for the file as it is now.`,
  "workspace-full": (what) => `${what} Close tabs that are not needed with panel_close.`,
  "no-browser-session": (_what, page) =>
    `No browser has this workspace open. Ask the person to open ${page} and keep it open, then call again.`,
  "sharing-required": (what, page) => `${what} The workspace is at ${page}. Then call again.`,
  "not-signed-in": () =>
    "The token of this MCP server is not valid. Ask the person to put a new one into its configuration: a session token or an API key of Backplane.",
};

/** A sentence that tells programs which call to make. */
const NAMES_CALL = /\b(?:GET|POST|PATCH|PUT|DELETE) […/]/;

/** A refusal as an AI client can use it. */
export function withAdvice(
  { code, message, errors = [] }: Refusal,
  advised: WorkspaceTools["advice"],
  page: string,
): Refusal {
  const said = message.replace(/^\//, "").replace(/[^.!?]$/, "$&.");
  const sentences = said.split(/(?<=[.!?]) /).filter((sentence) => !NAMES_CALL.test(sentence));
  const advice: Advice | undefined = advised[code as ProblemCode];
  return { code, message: advice ? advice(sentences[0] ?? "", page) : sentences.join(" "), errors };
}
