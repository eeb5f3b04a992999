import type { Tab } from "@backplane/contract/panels";
import type { Services } from "../services.ts";

/** Keeps on the tab which program drives it, beside the call: it is for people to see, and code need not wait for it. */
export function createDriverNames({ workspaces, onFault }: Pick<Services, "workspaces" | "onFault">) {
  const under = new Map<string, Promise<void>>();
  return {
    note(workspaceId: string, { id, drivenBy }: Tab, name: string | undefined): void {
      const key = `${workspaceId} ${id}`;
      if (name === undefined || name === drivenBy || under.has(key)) return;
      const done = workspaces
        .patchState(workspaceId, id, {}, name)
        .then(() => undefined, onFault)
        .finally(() => under.delete(key));
      under.set(key, done);
    },
    async close(): Promise<void> {
      await Promise.all(under.values());
    },
  };
}

export type DriverNames = ReturnType<typeof createDriverNames>;
