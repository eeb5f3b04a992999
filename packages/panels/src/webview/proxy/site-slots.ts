import { createSlots } from "@backplane/kit/slots";

/** Limits requests per frame, per person and in all: one person, or a site with very many names, must not take those of everybody. */
export type SiteSlots = {
  /** Undefined: limit reached. The returned function releases what was taken. */
  take(label: string, userId: string): (() => void) | undefined;
};

export function createSiteSlots(perSite: number, perPerson: number, inAll: number): SiteSlots {
  const [sites, people] = [createSlots(perSite, inAll), createSlots(perPerson, inAll)];
  return {
    take(label, userId) {
      const leaveSite = sites.take(label);
      const leavePerson = leaveSite && people.take(userId);
      if (!leavePerson) return void leaveSite?.();
      return () => {
        leaveSite();
        leavePerson();
      };
    },
  };
}
