import { type ErrorCode, exitCodeOf, type FieldFault, isErrorCode } from "@backplane/contract/problems";
import { SettingsFault } from "@backplane/kit/settings";
import { type Refusal, refuse } from "./refusal.ts";
import { countOf, plain } from "./text.ts";

/** What the command works with, to name it in next steps. */
export type ErrorContext = {
  /** The Backplane that is called. */
  baseUrl?: string;
  /** The page of the workspace. */
  page?: string;
  /** The token is from BACKPLANE_TOKEN, not from a session. */
  isEnvironmentToken?: boolean;
};

/** An error of the sdk, the package manager or a server: each has a code of the contract's table. */
type ExpectedError = Error & {
  code: ErrorCode;
  /** From the sdk: the server's own code. */
  problemCode?: string;
  status?: number;
  faults?: readonly FieldFault[];
  /** From a server's Problem. If there is only one, the message already says it. */
  errors?: readonly FieldFault[];
  path?: string;
  /** From the sdk: the option that is wrong. */
  field?: string;
};

/** What went wrong and what to do next, in terms of the command line. Unexpected errors are thrown. */
export function explainForCli(error: unknown, context: ErrorContext = {}): Refusal {
  if (error instanceof SettingsFault) return refuse("bad-settings", error.message);
  if (error instanceof Error && error.name === "StartFault") return refuse("not-started", error.message);
  if (isExpected(error)) return explainExpected(error, context);
  if (!isSystemError(error)) throw error;
  const at = error.path === undefined ? "" : ` at ${plain(error.path)}`;
  return refuse(
    "disk",
    `This was not done: the disk reports ${error.code}${at}.`,
    "Check the path and your access to it, then try again.",
  );
}

const isExpected = (error: unknown): error is ExpectedError =>
  error instanceof Error && "code" in error && isErrorCode(error.code);

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error && "code" in error;

function explainExpected(error: ExpectedError, context: ErrorContext): Refusal {
  const { code: own, problemCode = own } = error;
  const code = own === "denied" || own === "expired" ? own : problemCode;
  const several = (error.errors ?? []).length > 1 ? error.errors : undefined;
  const known = isErrorCode(code) ? code : own;
  const next = nextSteps(error, known, context);
  const faults = (next.length > 0 ? [] : (error.faults ?? several ?? [])).map(({ pointer, message }) => ({
    pointer: plain(pointer),
    message: plain(message),
  }));
  const lines = SESSION_FILE_STEPS[known]?.(error, context) ?? [
    faults.length > 0 ? `Refused: ${countOf(faults.length, "fault")}.` : messageOf(error, known, context),
    ...next,
  ];
  return {
    code: isErrorCode(code) ? sessionFileCode(code, context) : code,
    message: lines.join("\n"),
    exit: exitCodeOf(known),
    ...(faults.length > 0 ? { faults } : {}),
  };
}

/** Messages of the sdk name its options; messages of the package manager may contain text from repositories. */
function messageOf(error: ExpectedError, code: ErrorCode, context: ErrorContext): string {
  const { name, message } = error;
  const { baseUrl } = context;
  if (code === "sharing-required") {
    return "Nobody shares what this screenshot needs: the tab of the workspace, or with --scope screen the entire screen.";
  }
  if (code === "panel-type-unknown") return "The catalog has no panel of that name.";
  if (isWrongEnvironmentToken(error, code, context)) return `The token in BACKPLANE_TOKEN is not valid at ${baseUrl}.`;
  if (code === "not-signed-in" && baseUrl !== undefined) return `The session or API key is not valid at ${baseUrl}.`;
  const shown = plain(message)
    .replace("set allowHttp", "add --allow-http")
    .replace(/\bbaseUrl\b/, baseUrl ?? "baseUrl");
  const sentence = /[.!?…]$/.test(shown) ? shown : `${shown}.`;
  return name === "ManagerFault" ? sentence.replace(/(?<=\.) (?=[A-Z])/, "\n") : sentence;
}

/** It was refused, or has characters that no token has. */
const isWrongEnvironmentToken = ({ field }: ExpectedError, code: ErrorCode, context: ErrorContext): boolean =>
  context.isEnvironmentToken === true && (code === "not-signed-in" || field === "sessionToken");

/** The option or command that helps. Sdk and package manager do not know the command line. */
const NEXT_STEPS: Partial<Record<ErrorCode, readonly string[]>> = {
  "not-compatible": ["--force installs it anyway."],
  "no-sha256": ["--allow-unverified installs it anyway."],
  "other-repository": ["--change-repository allows it."],
  pinned: ["Unpin it with: backplane pkg unpin <package>"],
  "no-repositories": ["Add one with: backplane pkg repo add <url>"],
  offline: ["Leave out --offline to use the network."],
  "gateway-unreachable": ["Start one with: backplane up", "Or give the address of another: --gateway <url>"],
  "panel-type-unknown": ["List the panels with: backplane panel catalog"],
  "singleton-panel": ["Show it with: --reuse"],
};

export const nextStepsOf = (code: ErrorCode): readonly string[] => NEXT_STEPS[code] ?? [];

const NOT_FOUND = 404;

function nextSteps(error: ExpectedError, code: ErrorCode, context: ErrorContext): readonly string[] {
  const { name, status } = error;
  const { baseUrl, page } = context;
  if (page !== undefined && code === "no-browser-session") return [`Open it in a browser, and keep it open: ${page}`];
  if (page !== undefined && code === "sharing-required") {
    return [
      `In Chrome or Edge, press Share at the monitor icon there, then run this again: ${page}`,
      "To capture a sandbox without sharing, add: --method html2canvas",
    ];
  }
  if (baseUrl === undefined || name === "ManagerFault") return nextStepsOf(code);
  if (isWrongEnvironmentToken(error, code, context)) {
    return [`Set it to an API key from ${baseUrl}/account#api-keys`, `Or unset it, and run ${loginCommand(baseUrl)}`];
  }
  if (code === "not-signed-in") return [`Run ${loginCommand(baseUrl)}`];
  if (code === "unreachable") {
    return ["Start one on this machine with: backplane up", "Or give the address of another: --url <url>"];
  }
  if (status === NOT_FOUND) return ["Check the spelling, and that the address is right: --url <url>"];
  return nextStepsOf(code);
}

export const loginCommand = (baseUrl: string): string =>
  baseUrl === "http://localhost:8790" ? "backplane login" : `backplane login --url ${baseUrl}`;

/** Sessions are in a token store, whose messages talk about connecting. Here it is signing in. */
const SESSION_FILE_STEPS: Partial<
  Record<ErrorCode, (error: ExpectedError, context: ErrorContext) => string[] | undefined>
> = {
  "token-file-unreadable": ({ path = "The session file" }, { baseUrl }) =>
    baseUrl === undefined ? undefined : [`${path} cannot be read.`, "Remove it, then run backplane login"],
  "token-file-unwritable": ({ path = "The session file" }, { baseUrl }) =>
    baseUrl === undefined
      ? undefined
      : [`${path} cannot be written.`, "Check your access to it and that the disk is not full, then try again."],
};

function sessionFileCode(code: ErrorCode, { baseUrl }: ErrorContext): ErrorCode {
  if (baseUrl === undefined) return code;
  if (code === "token-file-unreadable") return "session-file-unreadable";
  return code === "token-file-unwritable" ? "session-file-unwritable" : code;
}
