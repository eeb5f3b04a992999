import type {
  DisplaySurface,
  ScreenshotScope,
  ServerMessage,
  Sharing,
  SharingRequest,
} from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { Live } from "../services.ts";
import type { ShortLivedEntries } from "./entries.ts";

export const surfacesOf = ({ active, displaySurface, surfaces }: Sharing): readonly DisplaySurface[] =>
  active ? (surfaces ?? (displaySurface ? [displaySurface] : [])) : [];

/** What must be shared for a screenshot of this scope. */
export const surfaceFor = (scope: ScreenshotScope): DisplaySurface => (scope === "screen" ? "monitor" : "browser");

/** Pending requests to share: sent to open browsers, and read by browsers that open meanwhile. */
export function createSharingRequests(
  entries: ShortLivedEntries,
  { now, tell }: { now: Clock; tell: (workspaceId: string, message: ServerMessage) => Promise<void> },
): Live["sharingRequests"] & { list(workspaceId: string): Promise<SharingRequest[]> } {
  const keyOf = (workspaceId: string) => `sharing:${workspaceId}`;
  return {
    async add(workspaceId, request, lingerMs = 0) {
      const lifeMs = Math.max(1, request.untilMs - now() + lingerMs);
      await entries.put(keyOf(workspaceId), [{ id: request.id, value: JSON.stringify(request) }], lifeMs);
      await tell(workspaceId, { type: "sharing-asked", request });
    },
    async remove(workspaceId, id, why) {
      await entries.remove(keyOf(workspaceId), id);
      await tell(workspaceId, { type: "sharing-over", id, ...(why ? { why } : {}) });
    },
    async list(workspaceId) {
      const requests = (await entries.list(keyOf(workspaceId))).map(({ value }) => JSON.parse(value) as SharingRequest);
      return requests.sort((a, b) => a.untilMs - b.untilMs);
    },
  };
}
