import type { Fault } from "../calls/call.ts";
import { faultWords } from "../calls/fault-words.ts";

const codeWords: Record<string, string> = {
  "sign-in-failed": "Name and password do not match. Check both and try again.",
  "passkey-refused": "This passkey was not accepted. Try again, or sign in with your password.",
};

/** Why signing in failed, and what to do. */
export const signInFault = (fault: Fault): string => codeWords[fault.code] ?? faultWords(fault);

const openidWords: Record<string, (provider: string) => string> = {
  "openid-unknown": (provider) =>
    `No account here is connected to you at ${provider}. Sign in with your password, then connect it on your account page.`,
  "openid-declined": (provider) =>
    `${provider} declined, or you cancelled. Nothing has changed; try again or sign in below.`,
  "openid-failed": (provider) => `${provider} did not answer as expected. Try again, or sign in below.`,
  "openid-taken": (provider) => `Another account here is already connected to you at ${provider}.`,
};

/** The text for `?fault=…`, which the provider's answer comes back with; undefined for unknown values. */
export const openidFault = (fault: string | null, provider: string | undefined): string | undefined =>
  fault !== null && Object.hasOwn(openidWords, fault) ? openidWords[fault]?.(provider ?? "The provider") : undefined;
