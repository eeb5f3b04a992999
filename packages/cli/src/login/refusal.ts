import { OAuthError, SignInError } from "@backplane/sdk";
import { badInput, CONNECT_EXIT, type Refusal } from "../connect/refusal.ts";

/** Why there is no session to speak for, with the next step. */
export function notSignedIn(baseUrl: string, elsewhere: readonly string[] = []): Refusal {
  const others = elsewhere.map((place) => `There is a session for ${place}: add --url ${place}`);
  return failed("not-signed-in", [`Nobody is signed in at ${baseUrl}.`, `Run ${loginAt(baseUrl)}`, ...others]);
}

/** What the sdk refuses, in the words of a terminal. Anything else is a fault of ours, and thrown. */
export function refusalOf(error: unknown, baseUrl: string): Refusal {
  if (error instanceof OAuthError) return storeRefusal(error);
  if (!(error instanceof SignInError)) throw error;
  const { code, message, problemCode } = error;
  switch (code) {
    case "invalid-option":
      return badInput(code, message.replace("set allowHttp", "add --allow-http").replace(/^baseUrl/, baseUrl));
    case "unreachable":
      return failed(code, [
        message,
        "Start one on this machine with: backplane up",
        "Or give the address of another: --url <url>",
      ]);
    case "not-signed-in":
      return failed(code, [`The session at ${baseUrl} is no longer valid.`, `Run ${loginAt(baseUrl)}`]);
    case "unexpected-answer":
      return failed(code, [message.replace("Check that baseUrl is", `Check that ${baseUrl} is`)]);
    default:
      return failed(problemCode === undefined || code !== "refused" ? code : problemCode, [message]);
  }
}

/** The store speaks of connecting: here that is signing in. */
function storeRefusal({ code, message, path = "The session's file" }: OAuthError): Refusal {
  switch (code) {
    case "token-file-unreadable":
      return failed("session-file-unreadable", [`${path} cannot be read.`, "Remove it, then run backplane login"]);
    case "token-file-unwritable":
      return failed("session-file-unwritable", [
        `${path} cannot be written.`,
        "Check that this account may and that the disk has room, then try again.",
      ]);
    default:
      return failed(code, [message]);
  }
}

const failed = (code: string, lines: readonly string[]): Refusal => ({
  code,
  message: lines.join("\n"),
  exit: CONNECT_EXIT.failed,
});

const loginAt = (baseUrl: string): string =>
  baseUrl === "http://localhost:8790" ? "backplane login" : `backplane login --url ${baseUrl}`;
