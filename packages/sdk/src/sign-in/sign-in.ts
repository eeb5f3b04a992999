import { rootOf, type ServerOptions } from "../addresses.ts";
import { checkTimeoutMs, invalidOption, SignInError } from "../errors.ts";
import { keepTrying } from "../keep-trying.ts";
import { createProof } from "../proof.ts";
import type { Fetch } from "../request.ts";
import { createIntent } from "./intent.ts";
import { SIGN_IN_LIMITS, type SignInLimits } from "./limits.ts";
import { type SignInEvent, waitForSession } from "./wait.ts";

/** What to show to the user. The URL is a secret while it is valid: do not log or store it. */
export type SignInLink = {
  url: string;
  /** The page shows the same code. Ask users to compare: a link from somebody else has a different one. */
  confirmationCode: string;
  /** Epoch milliseconds; 15 minutes from now. */
  expiresAt: number;
};

export type SignInOptions = ServerOptions & {
  /** Shows the link: prints it, opens a browser. What it throws or rejects with ends the sign-in. */
  onUrl: (link: SignInLink) => unknown;
  /** How long the session is valid, in seconds: 60 to 31,536,000. Default 90 days. */
  maxAge?: number | undefined;
  /** The name of your program, 1 to 80 characters. Users see it, marked as not verified. */
  appName?: string | undefined;
  signal?: AbortSignal | undefined;
  /** How long to wait for the approval. Default: as long as the link is valid. */
  timeoutMs?: number | undefined;
  /** Called with each step, for a log or a spinner. What it throws is ignored. */
  onState?: ((event: SignInEvent) => void) | undefined;
  fetch?: Fetch | undefined;
};

export type SignedIn = {
  /** Sent as `Authorization: Bearer` with every request. Protect it like a password. */
  sessionToken: string;
  /** How long the session is valid from the approval, in seconds. */
  maxAge: number;
};

/** Asks the user to sign this program in, and waits for the approval. Rejects with SignInError. */
export const signIn = (options: SignInOptions): Promise<SignedIn> => signInWithin(SIGN_IN_LIMITS, options);

/** The same with other limits. */
export async function signInWithin(limits: SignInLimits, options: SignInOptions): Promise<SignedIn> {
  const root = rootOf(options, SignInError);
  checkOptions(options, limits);
  const { maxAge, appName, signal, timeoutMs, onUrl, onState, fetch = globalThis.fetch } = options;
  const proof = await createProof(SignInError);
  const asking = { root, fetch, limits, signal, now: Date.now };
  // Another try may create a second intent. Nobody is shown the first, which then expires.
  const intent = await keepTrying(() => createIntent({ maxAge, appName, codeChallenge: proof.challenge }, asking), {
    mayPass: ({ code, status = 0 }) => code === "unreachable" || status >= 500,
    withinMs: limits.createWithinMs,
    pauseMs: limits.createRetryMs,
    signal,
  });
  const sessionToken = await waitForSession({
    ...asking,
    // updates_url has the host name that the server knows; baseUrl is known to work from here.
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
  const refuse = (field: string, fault: string) => invalidOption(SignInError, field, fault);
  if (typeof onUrl !== "function") throw refuse("onUrl", "is missing; give a function that shows the link");
  const { minMaxAgeS, maxMaxAgeS, maxAppNameLength } = limits;
  if (maxAge !== undefined && !(Number.isInteger(maxAge) && maxAge >= minMaxAgeS && maxAge <= maxMaxAgeS)) {
    throw refuse("maxAge", `is not a whole number of seconds from ${minMaxAgeS} to ${maxMaxAgeS}`);
  }
  const isName = appName === undefined || (typeof appName === "string" && appName !== "");
  if (!isName) throw refuse("appName", "is not a string; leave it out, or name your program");
  if (appName !== undefined && appName.length > maxAppNameLength) {
    throw refuse("appName", `is longer than ${maxAppNameLength} characters`);
  }
  checkTimeoutMs(SignInError, "timeoutMs", timeoutMs);
}
