import { OAuthError, type OAuthErrorDetails } from "../errors.ts";
import { plainText } from "../text.ts";

const MAX_CODE_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 500;

const TESTING_MODE =
  "If the app is in testing at the provider, its owner must add your account to the test users. Then start again.";

/** The code or refresh token is used, expired or revoked. GitHub uses the last two. */
const DEAD_GRANT = new Set(["invalid_grant", "bad_verification_code", "bad_refresh_token"]);

/** A failure as the provider describes it. Both texts come from outside. */
export type ProviderFailure = { error: string; description?: string | undefined };

/** The provider's refusal, in the redirect or from its token URL. */
export function providerRefusal({ error, description }: ProviderFailure, secrets: readonly string[] = []): OAuthError {
  const providerError = plainText(error, MAX_CODE_LENGTH, secrets);
  const providerDescription =
    description === undefined ? undefined : plainText(description, MAX_DESCRIPTION_LENGTH, secrets);
  const details: OAuthErrorDetails = { providerError, providerDescription };
  const shown = providerDescription ? `: ${providerDescription.replace(/\.$/, "")}` : "";
  if (error === "access_denied") {
    return new OAuthError("declined", `The provider declined access${shown}. ${TESTING_MODE}`, details);
  }
  if (DEAD_GRANT.has(error)) {
    return new OAuthError(
      "invalid-grant",
      `The provider no longer accepts this code or refresh token${shown}. Connect again.`,
      details,
    );
  }
  if (error === "temporarily_unavailable") {
    return new OAuthError("temporary", `The provider is busy${shown}. Try again in a moment.`, details);
  }
  return new OAuthError(
    "provider-error",
    `The provider refused with ${providerError}${shown}. Check how the app is registered there, then start again.`,
    details,
  );
}
