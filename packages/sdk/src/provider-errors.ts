import { OAuthError, type OAuthErrorDetails } from "./errors.ts";
import { plainText } from "./plain-text.ts";

const MAX_CODE_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 500;

const TESTING_MODE =
  "While the provider's app is in testing, its owner must add your account to the test users. Then start again.";

/** The code or refresh token is used, expired or revoked. The last two are what GitHub calls it. */
const DEAD_GRANT = new Set(["invalid_grant", "bad_verification_code", "bad_refresh_token"]);

/** What a provider says of a failure: its code, and words if it gave any. Both come from outside. */
export type ProviderFailure = { error: string; description?: string | undefined };

/** The provider's refusal in the redirect, or in the answer of its token URL, with its own words. */
export function providerRefusal({ error, description }: ProviderFailure, secrets: readonly string[] = []): OAuthError {
  const providerError = plainText(error, MAX_CODE_LENGTH, secrets);
  const providerDescription =
    description === undefined ? undefined : plainText(description, MAX_DESCRIPTION_LENGTH, secrets);
  const details: OAuthErrorDetails = { providerError, providerDescription };
  const words = providerDescription ? `: ${providerDescription.replace(/\.$/, "")}` : "";
  if (error === "access_denied") {
    return new OAuthError("declined", `The provider declined access${words}. ${TESTING_MODE}`, details);
  }
  if (DEAD_GRANT.has(error)) {
    return new OAuthError(
      "invalid-grant",
      `The provider no longer accepts this code or refresh token${words}. Connect again.`,
      details,
    );
  }
  if (error === "temporarily_unavailable") {
    return new OAuthError("temporary", `The provider is busy${words}. Try again in a moment.`, details);
  }
  return new OAuthError(
    "provider-error",
    `The provider refused with ${providerError}${words}. Check what the app is registered with, then start again.`,
    details,
  );
}
