import type { OpenidFault } from "@backplane/contract/accounts";

/** What the person is told. A person who declines is no fault of the provider's. */
export function faultOf(error: unknown): OpenidFault {
  return fieldOf(error, "name") === "AuthorizationResponseError" && fieldOf(error, "error") === "access_denied"
    ? "openid-declined"
    : "openid-failed";
}

/** What the log is told: codes only, since messages and causes may quote what was sent. */
export function reasonOf(error: unknown): string {
  const codes = [fieldOf(error, "code"), fieldOf(error, "error")].filter((code) => /^[\w-]{1,60}$/.test(code));
  return codes.join(" ") || fieldOf(error, "name") || "unknown";
}

function fieldOf(error: unknown, name: string): string {
  const value = (error as Record<string, unknown> | null)?.[name];
  return typeof value === "string" ? value : "";
}
