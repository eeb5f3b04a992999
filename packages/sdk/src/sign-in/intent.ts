import type { CreateIntent, Intent } from "@backplane/contract/intents";
import { unexpected, unreachable } from "./errors.ts";
import { isObject } from "./is-object.ts";
import type { SignInLimits } from "./limits.ts";
import { refusalOf } from "./refusal.ts";
import { ask, type Fetch, isAnswer } from "./request.ts";

export type OpenIntent = {
  /** Names the intent in paths. Also a secret: the URL for the person holds it. */
  token: string;
  url: string;
  confirmationCode: string;
  expiresAtMs: number;
  lifeMs: number;
  maxAgeS: number;
};

export type Asking = {
  root: string;
  fetch: Fetch;
  limits: SignInLimits;
  signal: AbortSignal | undefined;
  now(): number;
};

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
  const answer = await ask({ method: "POST", url: `${root}/auth/intents`, headers, body }, asking);
  if (!isAnswer(answer)) throw unreachable(root, answer.reason);
  if (!answer.isOk) throw refusalOf(answer, [], now());
  const intent = readIntent(answer.body, limits);
  if (intent === undefined) throw unexpected("The answer is no sign-in request", answer.status);
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
    // It becomes a part of addresses here.
    new RegExp(`^[\\w.~-]{1,${limits.maxTokenLength}}$`).test(token) &&
    isWebAddress(url, limits.maxUrlLength) &&
    /^[\w -]{1,32}$/.test(confirmationCode) &&
    lifeMs > 0 &&
    typeof maxAgeS === "number";
  if (!isFine) return undefined;
  return { token, url, confirmationCode, expiresAtMs, lifeMs: Math.min(lifeMs, limits.maxLifeMs), maxAgeS };
}

/** It is opened in a browser: what runs code or reads files there must not get so far. */
const isWebAddress = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
