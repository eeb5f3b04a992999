import { OAuthError } from "../errors.ts";
import type { FinalMessage } from "../gateway/connection.ts";
import { plainText } from "../text.ts";
import { providerRefusal } from "./provider-refusal.ts";

const MAX_REFUSAL_LENGTH = 300;

/** The issuer that the user was sent to, and whether it always names itself in its answers. */
export type ExpectedIssuer = { issuer?: string | undefined; requireIss?: boolean | undefined };

export type Answer = { code: string; query: Record<string, string>; iss?: string };

/** What the gateway's last message means: a code to exchange, or the reason for failure. */
export function readAnswer(
  message: FinalMessage,
  expected: ExpectedIssuer,
  wasRegistered: boolean,
): Answer | OAuthError {
  if (message.type === "error" && !isProviders(message, wasRegistered)) return gatewayRefusal(message);
  // Also before an error is accepted: RFC 9207 section 2.4.
  const mismatch = issuerMismatch(message.query.iss, expected);
  if (mismatch !== undefined) return mismatch;
  if (message.type === "error") return providerRefusal(message);
  const { code, query } = message;
  return { code, query, ...(query.iss === undefined ? {} : { iss: query.iss }) };
}

type ErrorMessage = Extract<FinalMessage, { type: "error" }>;

/** A gateway without error codes can only pass on the provider's error once it has accepted the registration. */
function isProviders({ code }: ErrorMessage, wasRegistered: boolean): boolean {
  return code === undefined ? wasRegistered : code === "provider-error";
}

function gatewayRefusal({ code, error }: ErrorMessage): OAuthError {
  if (code === "state-expired") {
    return new OAuthError(
      "expired",
      "The gateway is no longer waiting: a sign-in must finish within 10 minutes. Start again.",
      {
        gatewayCode: code,
      },
    );
  }
  const reason = plainText(error, MAX_REFUSAL_LENGTH).replace(/\.$/, "");
  return new OAuthError("registration-refused", `The gateway refused to wait for the code: ${reason}. Start again.`, {
    gatewayCode: code,
  });
}

function issuerMismatch(iss: string | undefined, { issuer, requireIss }: ExpectedIssuer): OAuthError | undefined {
  if (issuer === undefined || iss === issuer) return undefined;
  if (iss === undefined && requireIss !== true) return undefined;
  const fault = iss === undefined ? "does not say who sent it" : "came from another issuer";
  return new OAuthError(
    "issuer-mismatch",
    `The answer ${fault}, so it was not used. Start again; if this repeats, check that issuer is ${issuer}.`,
    { field: "issuer" },
  );
}
