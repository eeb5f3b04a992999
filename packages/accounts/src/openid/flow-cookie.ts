import { OPENID_LIMITS } from "@backplane/contract/accounts";

const NAME = "openid_flow";
const VALUE = /(?:^|;) *openid_flow=([A-Za-z0-9_-]{43})(?=;| *$)/;

/**
 * Says that an answer came back to the browser that began. Lax, since the answer comes from the provider's page; and
 * only for the addresses that need it.
 */
export function flowCookies(baseUrl: string) {
  const { protocol, pathname } = new URL(baseUrl);
  const attributes = `Path=${pathname.replace(/\/$/, "")}/auth/openid; HttpOnly; SameSite=Lax${protocol === "https:" ? "; Secure" : ""}`;
  return {
    set: (value: string): string => `${NAME}=${value}; Max-Age=${OPENID_LIMITS.flowLifeMs / 1_000}; ${attributes}`,
    ended: `${NAME}=; Max-Age=0; ${attributes}`,
    read: (cookies: string | undefined): string | undefined => VALUE.exec(cookies ?? "")?.[1],
  };
}
