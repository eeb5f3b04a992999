import type { ProblemCode } from "@backplane/contract/problems";
import { type Static, Type } from "typebox";
import type { FieldFault } from "../problems.ts";
import { inputReader } from "./tools.ts";

/** One workspace, driven by calls of the HTTP API. */
export type WorkspaceCalls = {
  owner: string;
  repo: string;
  /** The page that shows it. */
  page: string;
  /** The body of the answer; a refusal is thrown as a ToolFault. `waitMs`: how long the call itself may take. */
  call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: object,
    waitMs?: number,
  ): Promise<unknown>;
};

/** One tool: what an AI client reads about it, and what it does. */
export type WorkspaceTool = {
  name: string;
  title: string;
  description: string;
  input: Type.TObject;
  readOnly: boolean;
  destructive: boolean;
  /** Checks the input first: 422 names the field. `signal`: the client has cancelled the call, or is gone. */
  run(workspace: WorkspaceCalls, input: unknown, signal: AbortSignal): Promise<unknown>;
};

/** What to do next, in terms of the tools. The HTTP API's own advice names paths, which an AI client cannot call. */
export type Advice = (what: string, page: string) => string;

/** The tools of one area. `begin`: which one to call first. */
export type WorkspaceTools = {
  begin: string;
  tools: readonly WorkspaceTool[];
  /** Tools that depend on what is in the workspace now. */
  more?(workspace: WorkspaceCalls): Promise<readonly WorkspaceTool[]>;
  advice: Partial<Record<ProblemCode, Advice>>;
};

export function workspaceTool<Input extends Type.TObject>(
  name: string,
  title: string,
  description: string,
  input: Input,
  run: (workspace: WorkspaceCalls, input: Static<Input>, signal: AbortSignal) => Promise<unknown>,
  { readOnly = false, destructive = false }: { readOnly?: boolean; destructive?: boolean } = {},
): WorkspaceTool {
  const read = inputReader(input);
  return {
    ...{ name, title, description, input, readOnly, destructive },
    run: async (workspace, given, signal) => run(workspace, read(given ?? {}), signal),
  };
}

/** The input of a tool: a key that it does not know is refused, so that a misspelt one is noticed. */
export const toolInput = <Properties extends Type.TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

/** Where the HTTP API has a workspace. */
export const currentOf = ({ owner, repo }: WorkspaceCalls): string => `/api/workspaces/editor/${owner}/${repo}/current`;

/** A refused call of the HTTP API. */
export class ToolFault extends Error {
  readonly code: string;
  readonly errors: readonly FieldFault[];

  constructor(code: string, message: string, errors: readonly FieldFault[] = []) {
    super(message);
    this.code = code;
    this.errors = errors;
  }
}
