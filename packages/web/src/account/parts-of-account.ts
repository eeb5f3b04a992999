export type Part = { id: string; title: string };

export const SESSIONS: Part = { id: "sessions", title: "Sessions" };
export const API_KEYS: Part = { id: "api-keys", title: "API keys" };
export const PASSKEYS: Part = { id: "passkeys", title: "Passkeys" };
export const PROFILE: Part = { id: "profile", title: "Profile" };
export const PASSWORD: Part = { id: "password", title: "Password" };
export const COMPANY: Part = { id: "company", title: "Company sign-in" };
export const APPROVALS: Part = { id: "approvals", title: "Recent approvals" };
export const ORGANISATIONS: Part = { id: "organisations", title: "Organisations" };
export const PEOPLE: Part = { id: "people", title: "People" };

/** What the page of this person has, in order. */
export function partsFor({ isOwner, hasCompany }: { isOwner: boolean; hasCompany: boolean }): Part[] {
  return [
    SESSIONS,
    API_KEYS,
    PASSKEYS,
    PROFILE,
    PASSWORD,
    ...(hasCompany ? [COMPANY] : []),
    APPROVALS,
    ORGANISATIONS,
    ...(isOwner ? [PEOPLE] : []),
  ];
}
