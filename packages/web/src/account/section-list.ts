export type SectionInfo = { id: string; title: string };

export const SESSIONS: SectionInfo = { id: "sessions", title: "Sessions" };
export const API_KEYS: SectionInfo = { id: "api-keys", title: "API keys" };
export const PASSKEYS: SectionInfo = { id: "passkeys", title: "Passkeys" };
export const PROFILE: SectionInfo = { id: "profile", title: "Profile" };
export const PASSWORD: SectionInfo = { id: "password", title: "Password" };
export const COMPANY: SectionInfo = { id: "company", title: "Company sign-in" };
export const APPROVALS: SectionInfo = { id: "approvals", title: "Recent approvals" };
export const ORGANISATIONS: SectionInfo = { id: "organisations", title: "Organisations" };
export const PEOPLE: SectionInfo = { id: "people", title: "People" };

/** What the page of this person has, in order. */
export function sectionsFor({ isOwner, hasCompany }: { isOwner: boolean; hasCompany: boolean }): SectionInfo[] {
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
