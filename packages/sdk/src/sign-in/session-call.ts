import { type Place, rootOf } from "./base-url.ts";
import { badOption, unreachable } from "./errors.ts";
import { SIGN_IN_LIMITS } from "./limits.ts";
import { refusalOf } from "./refusal.ts";
import { type Ask, ask, type Fetch, isAnswer } from "./request.ts";

export type SessionOptions = Place & {
  /** What `signIn` gave; an API key does, too. */
  sessionToken: string;
  signal?: AbortSignal | undefined;
  fetch?: Fetch | undefined;
};

/** One call as the signed-in user; what it was answered, once that is OK. Throws SignInError. */
export async function callAs(options: SessionOptions, method: Ask["method"], path: string): Promise<unknown> {
  const { sessionToken, signal, fetch = globalThis.fetch } = options;
  const root = rootOf(options);
  if (typeof sessionToken !== "string" || !/^[\x21-\x7e]+$/.test(sessionToken)) {
    throw badOption("sessionToken", "is missing or no token");
  }
  const headers = { accept: "application/json", authorization: `Bearer ${sessionToken}` };
  const answer = await ask({ method, url: `${root}${path}`, headers }, { fetch, limits: SIGN_IN_LIMITS, signal });
  if (!isAnswer(answer)) throw unreachable(root, answer.reason);
  if (!answer.isOk) throw refusalOf(answer, [sessionToken], Date.now());
  return answer.body;
}
