import { isFromForeignPage, judgeCaller, type LocalCaller } from "@backplane/kit/http";

export type Verdict = "allowed" | "token-needed" | "token-wrong" | "foreign-page";

/** Loopback only; off loopback it needs a bearer token. */
export function judge(caller: LocalCaller, token: string): Verdict {
  const verdict = judgeCaller(caller, token);
  // Whoever sends the token is no page that rides on somebody's browser: those cannot know it.
  if (verdict === "has-token") return "allowed";
  if (verdict !== "here") return verdict;
  const onlyReads = caller.method === "GET" || caller.method === "HEAD";
  return !onlyReads && isFromForeignPage(caller) ? "foreign-page" : "allowed";
}
