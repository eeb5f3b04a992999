export { serveMessages } from "./http.ts";
export { inputReader, listed, type Refusal, refusalAnswer } from "./tools.ts";
export {
  type Advice,
  currentOf,
  ToolFault,
  toolInput,
  type WorkspaceCalls,
  type WorkspaceTool,
  type WorkspaceTools,
  workspaceTool,
} from "./workspace-tools.ts";
