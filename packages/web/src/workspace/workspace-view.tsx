import type { User } from "@backplane/contract/accounts";
import type { CatalogAnswer, Layout, Tab } from "@backplane/contract/panels";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { faultWords } from "../calls/fault-words.ts";
import type { Resource } from "../calls/use-resource.ts";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/command.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Note } from "../parts/note.tsx";
import { terminalCommand } from "../parts/terminal-command.ts";
import { WorkspaceBar } from "./bar.tsx";
import { useMedia, useSize } from "./browser-hooks.ts";
import type { WorkspaceName } from "./calls.ts";
import { type Capture, openCapture } from "./capture/capture.ts";
import { ShareButton } from "./capture/share-button.tsx";
import { PanelIcon } from "./catalog/panel-icons.tsx";
import { DevicesBar } from "./devices-bar/devices-bar.tsx";
import { ReplayBar } from "./devices-bar/replay-bar.tsx";
import { StopBanner } from "./devices-bar/stop-banner.tsx";
import { useOpenedDevices } from "./devices-bar/use-opened-devices.ts";
import { Dock } from "./dock/dock.tsx";
import { useFocus } from "./dock/focus.ts";
import { arrangeView } from "./dock/geometry.ts";
import { describeChanges, tabName } from "./dock/layout-tree.ts";
import type { Mounted } from "./dock/panel-slot.tsx";
import type { LiveClient } from "./live/live-client.ts";
import { type Overlay, Overlays } from "./overlays.tsx";
import { Toasts } from "./parts/toasts.tsx";
import { isMac, type Shortcut, useShortcuts } from "./shortcuts.ts";
import { Switcher } from "./switcher.tsx";
import { splitSide, useCommands } from "./use-commands.ts";
import { pickFiles, saveFiles, useFileDrop } from "./use-file-drop.ts";
import { type LiveSession, useWorkspace } from "./use-workspace.ts";

/** As in the styles: one panel at a time. */
const NARROW = "(max-width: 720px)";

type Props = { workspace: WorkspaceName; user: User; session: LiveSession; catalog: Resource<CatalogAnswer> };

/** The bar, the panels, and what is shown above them. */
export function WorkspaceView({ workspace, user, session, catalog: offer }: Props) {
  const { live, store, devices } = session;
  const page = useWorkspace(workspace, session, offer);
  const { state, catalog, titles, icons, actions, offered } = page;
  const { layout, shown } = state;
  const frame = useRef<HTMLElement>(null);
  const size = useSize(frame);
  const isNarrow = useMedia(NARROW);
  const { focusedLeafId, setFocusedLeaf } = useFocus(frame, layout, shown);
  const [overlay, setOverlay] = useState<Overlay>();
  const close = useCallback(() => setOverlay(undefined), []);
  const openCatalog = () => setOverlay({ is: "catalog" });
  const commands = useCommands({
    ...{ frame, state, size, focusedLeafId, setFocusedLeaf, actions, panels: page.panels },
    onWhichPanel: (side) => setOverlay({ is: "catalog", side }),
  });
  const isFileOver = useFileDrop(workspace, page.say);
  const capture = useCapture(workspace, live, frame, page.panels);
  const nameOf = (tabId: string) => page.nameOf.current(tabId);
  const opened = useOpenedDevices(workspace, devices, page.connection === "open");

  useEffect(() => {
    document.title = `${workspace.owner}/${workspace.repo} · Backplane`;
  }, [workspace]);

  const soloLeafId = isNarrow ? focusedLeafId : commands.maximisedLeafId;
  const arrangement = useMemo(
    () => layout && size && arrangeView(layout.root, size, { soloLeafId, isNarrow, ratios: state.ratios }),
    [layout, size, soloLeafId, isNarrow, state.ratios],
  );
  const focusedTabId = focusedLeafId === undefined ? undefined : shown.get(focusedLeafId);

  useShortcuts((shortcut: Shortcut) => {
    if (shortcut.do === "add") return openCatalog();
    if (shortcut.do === "help") return setOverlay({ is: "help" });
    if (shortcut.do === "undo") return void actions.undo();
    if (shortcut.do === "panel") return commands.goToPanel(shortcut.step);
    if (focusedTabId === undefined || focusedLeafId === undefined) return;
    if (shortcut.do === "move") return commands.move(focusedTabId, shortcut.side);
    if (shortcut.do === "split") return commands.split(focusedTabId, shortcut.side);
    if (shortcut.do === "maximise") return commands.maximise(focusedLeafId);
    if (shortcut.do === "close") return void actions.close(focusedTabId);
    document.querySelector<HTMLElement>(`[data-menu="${CSS.escape(focusedLeafId)}"]`)?.click();
  }, store.caughtUp);

  const isEmpty = layout?.root.type === "leaf" && layout.root.tabs.length === 0;

  return (
    <div className="workspace" data-connection={page.connection}>
      <WorkspaceBar
        workspace={workspace}
        user={user}
        connection={page.connection}
        share={capture && <ShareButton capture={capture} live={live} titleOf={nameOf} onUnanswered={page.say.done} />}
        devices={opened && <DevicesBar workspace={workspace} devices={opened.devices} say={page.say} />}
        onAdd={openCatalog}
        onHelp={() => setOverlay({ is: "help" })}
      />
      {opened && <StopBanner devices={opened.devices} />}
      <main className="dock" aria-label="Panels" ref={frame}>
        {layout && offered ? (
          <Dock
            {...{ frame, layout, state, arrangement, focusedLeafId, workspace, live, devices, store, actions }}
            {...{ catalog, titles, icons }}
            calls={page.calls}
            panels={page.panels}
            onTitle={page.onTitle}
            onIcon={page.onIcon}
            onEnter={commands.enter}
            onMenu={(anchor, tabId) => setOverlay({ is: "menu", anchor, tabId })}
            onTabs={(anchor, leafId) => setOverlay({ is: "tabs", anchor, leafId })}
          />
        ) : (
          <NotYet workspace={workspace} resource={page.resource} />
        )}
        {isEmpty && offered && <EmptyWorkspace workspace={workspace} onAdd={openCatalog} />}
      </main>
      {opened && <ReplayBar workspace={workspace} opened={opened} isNarrow={isNarrow} />}
      {isNarrow && layout && (
        <Switcher
          {...{ root: layout.root, shown, catalog, titles, icons }}
          currentLeafId={focusedLeafId}
          onChoose={setFocusedLeaf}
        />
      )}
      {isFileOver && <p className="drop-note">Drop to save in the project</p>}
      <Announcements layout={layout} nameOf={(tab) => tabName(tab, catalog, titles)} />
      <Toasts toasts={page.toasts} onDismiss={page.dismiss} />
      {layout && offered && (
        <Overlays
          {...{ workspace, overlay, layout, shown, offered, focusedTabId, isNarrow, actions, commands, nameOf }}
          side={splitSide(focusedLeafId, arrangement)}
          onUpload={() => pickFiles((files) => void saveFiles(workspace, files, page.say))}
          onOverlay={setOverlay}
          onClose={close}
        />
      )}
    </div>
  );
}

type NotYetProps = { workspace: WorkspaceName; resource: Resource<CatalogAnswer> };

/** Shown until the layout and the catalog have loaded. */
function NotYet({ workspace: { owner, repo }, resource: { value, fault, reload } }: NotYetProps) {
  return (
    <div className="workspace-word">
      {fault && !value ? (
        <Note tone="danger" role="alert">
          <strong>The panels could not be loaded.</strong> {faultWords(fault)}{" "}
          <button className="link" type="button" onClick={reload}>
            Try again
          </button>
        </Note>
      ) : (
        <p className="loading" role="status">
          Opening {owner}/{repo}
        </p>
      )}
    </div>
  );
}

function EmptyWorkspace({ workspace, onAdd }: { workspace: WorkspaceName; onAdd: () => void }) {
  const named = `--workspace ${workspace.owner}/${workspace.repo}`;
  const command = terminalCommand(`panel open webview ${named} --address https://example.org`);
  return (
    <div className="empty-workspace">
      <PanelIcon name="terminal" />
      <h2>No panels yet</h2>
      <p>Add the first one, such as a web view, an editor, or a sandbox for code.</p>
      <Button look="primary" icon="plus" onClick={onAdd}>
        Add panel
      </Button>
      <p className="small empty-keys">
        or press <kbd>{isMac() ? "⌘" : "Ctrl"}</kbd> <kbd>K</kbd>
      </p>
      <p className="empty-program">A program can open one, too:</p>
      <div className="copy">
        <Command text={command} />
        <CopyButton text={command} />
      </div>
    </div>
  );
}

type AnnouncementsProps = { layout: Layout | undefined; nameOf: (tab: Tab) => string };

/** Announces changes of the layout to screen readers. With a state of its own: the panels are not drawn again for it. */
function Announcements({ layout, nameOf }: AnnouncementsProps) {
  const before = useRef(layout);
  const name = useRef(nameOf);
  name.current = nameOf;
  const [words, setWords] = useState("");

  useEffect(() => {
    const was = before.current;
    before.current = layout;
    if (!was || !layout || was === layout) return;
    const changes = describeChanges(was, layout, name.current);
    if (changes !== "") setWords(changes);
  }, [layout]);

  return (
    <p className="sr" aria-live="polite">
      {words}
    </p>
  );
}

function useCapture(
  { owner, repo }: WorkspaceName,
  live: LiveClient,
  frame: RefObject<HTMLElement | null>,
  panels: ReadonlyMap<string, Mounted>,
): Capture | undefined {
  const [capture, setCapture] = useState<Capture>();

  useEffect(() => {
    const opened = openCapture({
      ...{ live, workspace: { owner, repo } },
      elementOf: (tabId) => panels.get(tabId)?.slot,
      workspaceElement: () => frame.current ?? undefined,
      rasterise: (tabId) => panels.get(tabId)?.panel?.rasterise?.(),
    });
    setCapture(opened);
    return () => opened.close();
  }, [live, owner, repo, frame, panels]);

  return capture;
}
