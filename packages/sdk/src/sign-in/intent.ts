import type { CreateIntent, Intent } from "@backplane/contract/intents";
import { isBusy, readProblem, refusalText, unreachable } from "../call.ts";
import { SignInError } from "../errors.ts";
import { type Answer, ask, isAnswer, type Transport, unexpectedAnswer } from "../request.ts";
import { isObject } from "../text.ts";
import type { SignInLimits } from "./limits.ts";

export type OpenIntent = {
  /** Names the intent in paths. A secret: it is part of the URL for the user. */
  token: string;
  url: string;
  confirmationCode: string;
  expiresAtMs: number;
  lifeMs: number;
  maxAgeS: number;
};

export type Asking = Transport & { root: string; limits: SignInLimits; now(): number };

export type Wanted = { maxAge: number | undefined; appName: string | undefined; codeChallenge: string };

/** POST /auth/intents. Throws SignInError. */
export async function createIntent({ maxAge, appName, codeChallenge }: Wanted, asking: Asking): Promise<OpenIntent> {
  const { root, limits, now } = asking;
  const headers = { "content-type": "application/json", accept: "application/json" };
  const wanted: CreateIntent = {
    ...(maxAge === undefined ? {} : { max_age: maxAge }),
    ...(appName === undefined ? {} : { app_name: appName }),
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
  };
  const body = JSON.stringify(wanted);
  const answer = await ask(`${root}/auth/intents`, { method: "POST", headers, body }, asking, SignInError);
  if (!isAnswer(answer)) throw unreachable(SignInError, root, answer.reason);
  if (!answer.isOk) throw intentRefusal(answer, [], now());
  const intent = readIntent(answer.body, limits);
  if (intent === undefined) throw unexpectedAnswer(SignInError, "The answer is not a sign-in request", answer.status);
  return intent;
}

type IntentField = keyof Intent;

function readIntent(body: unknown, limits: SignInLimits): OpenIntent | undefined {
  if (!isObject(body)) return undefined;
  const text = (field: IntentField) => (typeof body[field] === "string" ? body[field] : "");
  const token = text("token");
  const url = text("auth_url");
  const confirmationCode = text("confirmation_code");
  const expiresAtMs = Date.parse(text("expires_at"));
  const lifeMs = expiresAtMs - Date.parse(text("created_at"));
  const maxAgeS = body["requested_max_age" satisfies IntentField];
  const isFine =
    // It becomes part of addresses.
    new RegExp(`^[\\w.~-]{1,${limits.maxTokenLength}}$`).test(token) &&
    isWebAddress(url, limits.maxUrlLength) &&
    /^[\w -]{1,32}$/.test(confirmationCode) &&
    lifeMs > 0 &&
    typeof maxAgeS === "number";
  if (!isFine) return undefined;
  return { token, url, confirmationCode, expiresAtMs, lifeMs: Math.min(lifeMs, limits.maxLifeMs), maxAgeS };
}

/** It is opened in a browser: addresses that run code or read files there are refused. */
const isWebAddress = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const UNAUTHORIZED = 401;
const GONE = 410;

/** An answer about an intent that is not OK. `secrets` are kept out of the message, in case the server repeats them. */
export function intentRefusal(answer: Answer, secrets: readonly string[], nowMs: number): SignInError {
  const problem = readProblem(answer, secrets, nowMs);
  const code = codeOf(problem.status, problem.problemCode);
  if (code === "denied") {
    return new SignInError(code, "The sign-in was denied. Start again if that was a mistake.", problem);
  }
  if (code === "expired") {
    return new SignInError(code, "The sign-in link has expired. Links are valid for 15 minutes. Start again.", problem);
  }
  return new SignInError(code, refusalText(code, problem), problem);
}

function codeOf(status: number, problemCode: string | undefined) {
  if (isBusy(status)) return "temporary";
  if (status === UNAUTHORIZED) return "not-signed-in";
  if (problemCode === "intent-denied") return "denied";
  return status === GONE ? "expired" : "refused";
}
