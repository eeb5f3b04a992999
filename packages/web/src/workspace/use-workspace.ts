import type { CatalogAnswer, Layout } from "@backplane/contract/panels";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Resource } from "../calls/use-resource.ts";
import { useSession } from "../session/session.tsx";
import { layoutCalls, type WorkspaceName } from "./calls.ts";
import { type LazyDevices, lazyDevices } from "./devices/lazy-devices.ts";
import { createActions } from "./dock/actions.ts";
import { createDockStore, type DockStore } from "./dock/dock-store.ts";
import { enterSoon, focusTab, typingIn } from "./dock/focus.ts";
import { catalogOf, findTab, panelOf, tabName } from "./dock/layout-tree.ts";
import type { Mounted } from "./dock/panel-slot.tsx";
import { type LiveClient, openLive } from "./live/live-client.ts";
import { useToasts } from "./parts/toasts.tsx";

/** The state that the parts of the page share. */
export function useWorkspace(
  workspace: WorkspaceName,
  { live, store }: LiveSession,
  resource: Resource<CatalogAnswer>,
) {
  const { refresh } = useSession();
  const { connection } = useSyncExternalStore(live.subscribe, live.state);
  const state = useSyncExternalStore(store.subscribe, store.state);
  const offered = resource.value?.panels;
  const catalog = useMemo(() => {
    const { panels = [], packagePanel } = resource.value ?? {};
    return catalogOf(packagePanel ? [...panels, packagePanel] : panels);
  }, [resource.value]);
  const [titles, onTitle] = useTabTexts();
  const [icons, onIcon] = useTabTexts();
  const { toasts, dismiss, say } = useToasts();
  const [panels] = useState(() => new Map<string, Mounted>());
  const calls = useMemo(() => layoutCalls(workspace), [workspace]);

  const nameOf = useRef((_tabId: string): string => "the tab");
  nameOf.current = (tabId) => {
    const tab = state.layout && findTab(state.layout.root, tabId);
    return tab ? tabName(tab, catalog, titles) : "the tab";
  };

  // The layout with the tab that the user opened arrives before or after the answer.
  const [awaited, setAwaited] = useState<string>();
  useEffect(() => {
    if (awaited === undefined || !state.layout) return;
    const tab = findTab(state.layout.root, awaited);
    if (!tab) return;
    focusTab(awaited);
    setAwaited(undefined);
    // A kind that is not in the catalog has nothing to type in.
    if (panelOf(tab, catalog)) enterSoon(awaited, panels);
  }, [awaited, state.layout, panels, catalog]);

  const actions = useMemo(
    () =>
      createActions({
        ...{ calls, dock: store, say },
        nameOf: (tabId) => nameOf.current(tabId),
        onOpened: setAwaited,
        onUnknownCaller: () => void refresh(),
      }),
    [calls, store, say, refresh],
  );

  return {
    ...{ connection, state, resource, offered, catalog, titles, icons, onTitle, onIcon },
    ...{ toasts, dismiss, say, panels, calls, actions, nameOf },
  };
}

/** A text of each tab that its panel sets. */
function useTabTexts() {
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const set = useCallback((tabId: string, text: string | undefined) => {
    setTexts((before) => {
      if (before.get(tabId) === text) return before;
      const next = new Map(before);
      if (text === undefined) next.delete(tabId);
      else next.set(tabId, text);
      return next;
    });
  }, []);
  return [texts, set] as const;
}

export type LiveSession = { live: LiveClient; store: DockStore; devices: LazyDevices };

/** Opens the connection of this page to its workspace. `known`: its layout a moment ago. */
export function useLive({ owner, repo }: WorkspaceName, known: Layout | undefined): LiveSession | undefined {
  const [session, setSession] = useState<LiveSession>();
  const first = useRef(known);

  // Before the browser draws: with a known layout, the first thing that is drawn has the tabs.
  useLayoutEffect(() => {
    const live = openLive({ owner, repo }, undefined, first.current);
    const store = createDockStore(live, typingIn);
    const devices = lazyDevices({ owner, repo });
    setSession({ live, store, devices });
    return () => {
      devices.close();
      store.close();
      live.close();
      setSession(undefined);
    };
  }, [owner, repo]);

  return session;
}
