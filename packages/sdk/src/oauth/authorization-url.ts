import { webAddress } from "../addresses.ts";
import { invalidOption, OAuthError } from "../errors.ts";

export type AuthorizationRequest = {
  authUrl: string;
  clientId: string;
  /** Separated by spaces. */
  scopes: string;
  redirectUri: string;
  state: string;
  codeChallenge: string;
  extraParams: Readonly<Record<string, string>>;
};

/** Changing one of these would send the code elsewhere or weaken its proof. */
const RESERVED = ["response_type", "client_id", "redirect_uri", "scope", "state"];
const RESERVED_PREFIX = "code_challenge";

/** The provider's URL to send the user to. What `authUrl` has in its own query stays (RFC 6749 section 3.1). */
export function authorizationUrl(request: AuthorizationRequest): string {
  const url = webAddress(OAuthError, "authUrl", request.authUrl, ["https:", "http:"]);
  for (const [name, value] of Object.entries(request.extraParams)) {
    const field = `extraParams.${name}`;
    if (RESERVED.includes(name) || name.startsWith(RESERVED_PREFIX)) {
      throw invalidOption(OAuthError, field, "is set by the flow itself; leave it out");
    }
    if (typeof value !== "string") throw invalidOption(OAuthError, field, "is not a string");
    url.searchParams.set(name, value);
  }
  const own = {
    response_type: "code",
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    ...(request.scopes === "" ? {} : { scope: request.scopes }),
    state: request.state,
    code_challenge: request.codeChallenge,
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value);
  return url.href;
}
