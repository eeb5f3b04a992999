import { LIMITS } from "../limits.ts";
import { createProof } from "../proof.ts";
import { type Place, rootOf } from "./base-url.ts";
import { asSignInError, badOption } from "./errors.ts";
import { createIntent } from "./intent.ts";
import { SIGN_IN_LIMITS, type SignInLimits } from "./limits.ts";
import type { Fetch } from "./request.ts";
import { type SignInEvent, waitForSession } from "./wait.ts";

/** What to show to the person. The URL is a secret for as long as it is valid: neither log nor keep it. */
export type SignInLink = {
  url: string;
  /** The page shows the same one. Ask people to compare: a link that somebody else made has another. */
  confirmationCode: string;
  /** Epoch milliseconds; 15 minutes from now. */
  expiresAt: number;
};

export type SignInOptions = Place & {
  /** Shows the link: prints it, opens a browser. What it throws or rejects with ends the sign-in. */
  onUrl: (link: SignInLink) => unknown;
  /** Life of the session in seconds, 60 to 31,536,000. Default 90 days. */
  maxAge?: number | undefined;
  /** What people see as the name of your program, shown as not verified; 1 to 80 characters. */
  appName?: string | undefined;
  signal?: AbortSignal | undefined;
  /** From link to session. Default: as long as the link is valid. */
  timeoutMs?: number | undefined;
  /** Hears how it goes, for a log or a spinner. What it throws is ignored. */
  onState?: ((event: SignInEvent) => void) | undefined;
  fetch?: Fetch | undefined;
};

export type SignedIn = {
  /** Goes as `Authorization: Bearer` with every request. Keep it like a password. */
  sessionToken: string;
  /** Life of the session in seconds, from the approval. */
  maxAge: number;
};

/** Asks a person to sign this program in, and waits for the answer. Rejects with SignInError. */
export const signIn = (options: SignInOptions): Promise<SignedIn> => signInWithin(SIGN_IN_LIMITS, options);

/** The same with other waits. */
export async function signInWithin(limits: SignInLimits, options: SignInOptions): Promise<SignedIn> {
  const root = rootOf(options);
  checkOptions(options, limits);
  const { maxAge, appName, signal, timeoutMs, onUrl, onState, fetch = globalThis.fetch } = options;
  const proof = await createProof().catch((error) => Promise.reject(asSignInError(error)));
  const asking = { root, fetch, limits, signal, now: Date.now };
  const intent = await createIntent({ maxAge, appName, codeChallenge: proof.challenge }, asking);
  const sessionToken = await waitForSession({
    ...asking,
    // updates_url is the same by the name the server knows itself by; baseUrl is the one that works from here.
    url: `${root}/auth/intents/${intent.token}/status`,
    verifier: proof.secret,
    secrets: [proof.secret, intent.token],
    lifeMs: intent.lifeMs,
    timeoutMs,
    random: Math.random,
    show: () => onUrl({ url: intent.url, confirmationCode: intent.confirmationCode, expiresAt: intent.expiresAtMs }),
    onState,
  });
  return { sessionToken, maxAge: intent.maxAgeS };
}

function checkOptions({ onUrl, maxAge, appName, timeoutMs }: SignInOptions, limits: SignInLimits): void {
  if (typeof onUrl !== "function") throw badOption("onUrl", "is missing; give a function that shows the link");
  const { minMaxAgeS, maxMaxAgeS, maxAppNameLength } = limits;
  if (maxAge !== undefined && !(Number.isInteger(maxAge) && maxAge >= minMaxAgeS && maxAge <= maxMaxAgeS)) {
    throw badOption("maxAge", `is no whole number of seconds from ${minMaxAgeS} to ${maxMaxAgeS}`);
  }
  const isName = appName === undefined || (typeof appName === "string" && appName !== "");
  if (!isName) throw badOption("appName", "is no text; leave it out or name your program");
  if (appName !== undefined && appName.length > maxAppNameLength) {
    throw badOption("appName", `is longer than ${maxAppNameLength} characters`);
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= LIMITS.maxTimerMs)) {
    throw badOption("timeoutMs", "is no positive number of milliseconds");
  }
}
