import type { BrowserMessage } from "@backplane/contract/panels";

/** What holds until something else is said: a server that this page connects to anew must hear it again. */
export type Standing = {
  note(message: BrowserMessage, wasSent: boolean): void;
  /** The panel of this tab is gone. */
  forgetTab(tabId: string): void;
  messages(): BrowserMessage[];
};

export function createStanding(): Standing {
  const mounted = new Set<string>();
  const reports = new Map<string, Extract<BrowserMessage, { type: "report" }>>();
  let sharing: Extract<BrowserMessage, { type: "sharing" }> | undefined;

  return {
    note(message, wasSent) {
      if (message.type === "mounted") mounted.add(message.tabId);
      else if (message.type === "sharing") sharing = message.sharing.active ? message : undefined;
      // Kept in the state once it was heard: only what was not heard is said again.
      else if (message.type === "report" && !wasSent) {
        reports.set(message.tabId, { ...reports.get(message.tabId), ...message });
      }
    },
    forgetTab(tabId) {
      mounted.delete(tabId);
      reports.delete(tabId);
    },
    messages() {
      const unheard = [...reports.values()];
      reports.clear();
      return [
        ...(sharing ? [sharing] : []),
        ...unheard,
        ...Array.from(mounted, (tabId): BrowserMessage => ({ type: "mounted", tabId })),
      ];
    },
  };
}
