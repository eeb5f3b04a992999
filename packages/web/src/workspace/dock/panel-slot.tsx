import type { CatalogPanel, JsonObject, Tab } from "@backplane/contract/panels";
import { memo, useEffect, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { LayoutCalls, WorkspaceName } from "../calls.ts";
import type { LazyDevices } from "../devices/lazy-devices.ts";
import type { LiveClient } from "../live/live-client.ts";
import type { Panel } from "../panel.ts";
import { PANELS } from "../panels.ts";
import { placed, type Rect } from "./geometry.ts";
import { createPanelContext } from "./panel-context.ts";

/** A panel in the page; `panel` is undefined while it loads. */
export type Mounted = { slot: HTMLElement; element: HTMLElement; panel: Panel | undefined };

type Props = {
  tab: Tab;
  name: string;
  catalogPanel: CatalogPanel | undefined;
  rect: Rect;
  isShown: boolean;
  order: number;
  workspace: WorkspaceName;
  live: LiveClient;
  devices: LazyDevices;
  calls: LayoutCalls;
  mounted: Map<string, Mounted>;
  onTitle: (tabId: string, title: string | undefined) => void;
  onIcon: (tabId: string, icon: string | undefined) => void;
  onOpen: (tabId: string, kind: string, initialState: JsonObject, displayName: string | undefined) => Promise<void>;
};

type Loading = "loading" | "shown" | "failed";

export const slotId = (tabId: string): string => `slot-${tabId}`;

/** The place of one panel. It never moves in the document: only its rectangle and visibility change. */
export const PanelSlot = memo(function PanelSlot(props: Props) {
  const { tab, name, rect, isShown, order } = props;
  const slot = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const loading = usePanel(props, slot, attempt);

  return (
    <div
      ref={slot}
      className="slot"
      id={slotId(tab.id)}
      role="tabpanel"
      aria-label={name}
      aria-busy={loading === "loading" || undefined}
      data-tab={tab.id}
      data-shown={isShown}
      style={placed(rect, order)}
    >
      {loading === "loading" && (
        <p className="slot-word loading" role="status">
          Loading {name}
        </p>
      )}
      {loading === "failed" && (
        <div className="slot-word failed" role="alert">
          <Icon name="warning" />
          <h2>This panel did not load</h2>
          <p>
            The connection was interrupted, or Backplane was updated while this page was open. Try again, or{" "}
            <a href={window.location.href}>reload the page</a>.
          </p>
          <Button onClick={() => setAttempt((before) => before + 1)}>Try again</Button>
        </div>
      )}
    </div>
  );
});

/** The layout may be there before the server has welcomed this page. What panels need of it comes with that. */
const isWelcome = (live: LiveClient): boolean => live.state().framesUrl !== "";

const welcomed = (live: LiveClient): Promise<void> =>
  new Promise((resolve) => {
    if (isWelcome(live)) return resolve();
    const stop = live.subscribe(() => {
      if (!isWelcome(live)) return;
      stop();
      resolve();
    });
  });

/** A page that nobody sees is not drawn. */
const DRAWN_WITHIN_MS = 100;

/** When the browser has drawn the tabs: people see them sooner if the scripts of all panels come after that. */
const drawn = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, DRAWN_WITHIN_MS);
  });

/** Loads the panel, mounts it into a new element of the slot, and removes it with the tab. */
function usePanel(props: Props, slot: React.RefObject<HTMLDivElement | null>, attempt: number): Loading {
  const [loading, setLoading] = useState<Loading>("loading");
  // The panel is mounted once: later props reach it through its context.
  const latest = useRef(props);
  latest.current = props;
  const { mounted } = props;
  const tabId = props.tab.id;
  const kind = props.catalogPanel?.kind ?? props.tab.panelType;

  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt is a reason to mount again
  useEffect(() => {
    const parent = slot.current;
    if (!parent) return;
    const { catalogPanel, workspace, live, devices, calls } = latest.current;
    const element = document.createElement("div");
    element.className = "panel";
    // Not on the slot: the tab order would then skip everything inside.
    element.tabIndex = -1;
    parent.append(element);
    setLoading("loading");
    mounted.set(tabId, { slot: parent, element, panel: undefined });
    let isOver = false;
    let panel: Panel | undefined;
    let close = () => {};

    const start = async () => {
      const load = PANELS[kind];
      // The server is newer than this page: it knows more kinds.
      if (!load) throw new Error(`This page cannot show panels of the kind ${kind}.`);
      // What a panel from a package shows is known when it is loaded.
      if (!isWelcome(live)) await drawn();
      const showsDevices = kind === "package" || (catalogPanel?.shows.length ?? 0) > 0;
      const [{ mount }, opened] = await Promise.all([
        load(),
        showsDevices ? devices.open() : undefined,
        welcomed(live),
      ]);
      if (isOver) return;
      const open = createPanelContext({
        ...{ tab: latest.current.tab, catalogPanel, workspace, live, calls, opened },
        isShown: () => latest.current.isShown,
        onTitle: (title) => latest.current.onTitle(tabId, title),
        onIcon: (icon) => latest.current.onIcon(tabId, icon),
        onOpen: (...what) => latest.current.onOpen(tabId, ...what),
      });
      close = open.close;
      const made = await mount(element, open.context);
      if (isOver) return made.dispose();
      panel = made;
      mounted.set(tabId, { slot: parent, element, panel });
      live.send({ type: "mounted", tabId });
      setLoading("shown");
    };
    start().catch((error: unknown) => {
      if (isOver) return;
      reportError(error);
      element.replaceChildren();
      setLoading("failed");
    });

    return () => {
      isOver = true;
      mounted.delete(tabId);
      close();
      // Not while React renders: a panel may be a React tree of its own.
      queueMicrotask(() => {
        panel?.dispose();
        element.remove();
      });
    };
  }, [tabId, kind, attempt, mounted]);

  return loading;
}
