import { useEffect, useState } from "react";
import type { WorkspaceName } from "./calls.ts";
import { createDockStore, type DockStore } from "./dock/dock-store.ts";
import { typingIn } from "./dock/use-focus.ts";
import { type LiveClient, openLive } from "./live/live-client.ts";

export type Session = { live: LiveClient; store: DockStore };

/** The connection of this page to its workspace. */
export function useLive({ owner, repo }: WorkspaceName): Session | undefined {
  const [session, setSession] = useState<Session>();

  useEffect(() => {
    const live = openLive({ owner, repo });
    const store = createDockStore(live, typingIn);
    setSession({ live, store });
    return () => {
      store.close();
      live.close();
      setSession(undefined);
    };
  }, [owner, repo]);

  return session;
}
