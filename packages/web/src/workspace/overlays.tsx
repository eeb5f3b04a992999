import {
  type CatalogPanel,
  identifierOf,
  type JsonObject,
  type Layout,
  PANELS_LIMITS,
} from "@backplane/contract/panels";
import { type SubmitEvent, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import type { WorkspaceName } from "./calls.ts";
import { CatalogDialog } from "./catalog/catalog-dialog.tsx";
import { type Command, toCommands } from "./catalog/commands.ts";
import { usePackageChoices } from "./catalog/use-package-choices.ts";
import type { Actions } from "./dock/actions.ts";
import type { Shown } from "./dock/dock-store.ts";
import { focusTab } from "./dock/focus.ts";
import type { Side } from "./dock/geometry.ts";
import { findLeaf, findTab, leafAfter, leafOfTab, tabsOf } from "./dock/layout-tree.ts";
import { Dialog } from "./parts/dialog.tsx";
import { Menu, type MenuItem } from "./parts/menu.tsx";
import { isMac, shortcutLines } from "./shortcuts.ts";
import type { Commands } from "./use-commands.ts";

/** What is shown above the panels; one at a time. */
export type Overlay =
  | { is: "catalog"; side?: Side }
  | { is: "help" }
  | { is: "menu"; anchor: HTMLElement; tabId: string }
  | { is: "tabs"; anchor: HTMLElement; leafId: string }
  | { is: "rename"; tabId: string };

type Props = {
  workspace: WorkspaceName;
  overlay: Overlay | undefined;
  layout: Layout;
  shown: Shown;
  offered: readonly CatalogPanel[];
  focusedTabId: string | undefined;
  /** Where a new split goes, unless a side was chosen. */
  side: Side;
  isNarrow: boolean;
  actions: Actions;
  commands: Commands;
  nameOf: (tabId: string) => string;
  /** Asks for files of this device. */
  onUpload: () => void;
  onOverlay: (overlay: Overlay | undefined) => void;
  onClose: () => void;
};

export function Overlays(props: Props) {
  const { overlay, layout, offered, focusedTabId, actions, commands, nameOf, onClose } = props;
  const { root } = layout;
  const open = useMemo(() => new Set(tabsOf(root).map(identifierOf)), [root]);

  switch (overlay?.is) {
    case undefined:
      return null;
    case "help":
      return <ShortcutsDialog onClose={onClose} />;
    case "catalog":
      return (
        <Catalog
          workspace={props.workspace}
          // That one shows packages, which are listed themselves.
          panels={offered}
          commands={overlay.side === undefined ? paletteOf(props) : []}
          open={open}
          besideWords={besideWords(overlay.side, focusedTabId, nameOf)}
          canSplit={open.size > 0 && overlay.side === undefined}
          onChoose={(panel, inNewSplit) => commands.add(panel, overlay.side ?? (inNewSplit ? props.side : undefined))}
          onClose={onClose}
        />
      );
    case "rename":
      return (
        <RenameDialog
          name={nameOf(overlay.tabId)}
          onRename={(name) => void actions.rename(overlay.tabId, name)}
          onClose={onClose}
        />
      );
    case "tabs": {
      const { leafId, anchor } = overlay;
      const items = (findLeaf(root, leafId)?.tabs ?? []).map(({ id }) => ({
        label: nameOf(id),
        isCurrent: props.shown.get(leafId) === id,
        onSelect: () => {
          actions.show(leafId, id);
          focusTab(id);
        },
      }));
      return <Menu label="Tabs of this panel" align="end" {...{ anchor, items, onClose }} />;
    }
    case "menu": {
      const { tabId, anchor } = overlay;
      const align = anchor.matches("[role=tab]") ? "start" : "end";
      const items = itemsOf(tabId, props);
      return <Menu label={`Panel menu, ${nameOf(tabId)}`} {...{ anchor, align, items, onClose }} />;
    }
  }
}

type CatalogProps = Omit<Parameters<typeof CatalogDialog>[0], "packages"> & { workspace: WorkspaceName };

/** Asks for the packages when it is opened: they change while the page is open. */
function Catalog({ workspace, ...dialog }: CatalogProps) {
  return <CatalogDialog {...dialog} packages={usePackageChoices(workspace)} />;
}

/** What can be done with a tab. */
function itemsOf(
  tabId: string,
  { layout: { root }, offered, isNarrow, actions, commands, onOverlay }: Props,
): MenuItem[] {
  const leaf = leafOfTab(root, tabId);
  const tab = findTab(root, tabId);
  const kind = offered.find(({ identifier }) => tab && identifier === identifierOf(tab))?.kind;
  return panelMenu({
    ...{ root, tabId, isNarrow, isMaximised: commands.maximisedLeafId !== undefined },
    permissions: kind === "webview" ? tab?.panelState : undefined,
    on: {
      split: (side) => commands.split(tabId, side),
      moveTo: (leafId) => void actions.drop(tabId, { kind: "join", leafId }),
      maximise: () => leaf && commands.maximise(leaf.id),
      allow: (permission) => void actions.setState(tabId, permission),
      rename: () => onOverlay({ is: "rename", tabId }),
      close: () => void actions.close(tabId),
      closeOthers: () => void actions.closeOthers(tabId),
    },
  });
}

/** The commands beside the catalog: what can be done with the focused tab, and with the workspace. */
function paletteOf(props: Props): Command[] {
  const { focusedTabId, actions, nameOf, onUpload, onOverlay } = props;
  const ofTab = focusedTabId === undefined ? [] : toCommands(itemsOf(focusedTabId, props), nameOf(focusedTabId));
  const ofWorkspace: MenuItem[] = [
    { label: "Undo the last layout change", hint: isMac() ? "⌘ Z" : "Ctrl Z", onSelect: () => void actions.undo() },
    { label: "Upload files", onSelect: onUpload },
    { label: "Keyboard shortcuts", hint: "?", onSelect: () => onOverlay({ is: "help" }) },
    { label: "All workspaces", href: "/workspaces" },
    { label: "Your account", href: "/account" },
  ];
  return [...ofTab, ...toCommands(ofWorkspace, "This workspace")];
}

function besideWords(side: Side | undefined, tabId: string | undefined, nameOf: (tabId: string) => string): string {
  if (tabId === undefined) return "as the first panel";
  if (side === undefined) return `as a tab beside ${nameOf(tabId)}`;
  return side === "down" ? `below ${nameOf(tabId)}` : `to the right of ${nameOf(tabId)}`;
}

type MenuOptions = {
  root: Layout["root"];
  tabId: string;
  isMaximised: boolean;
  isNarrow: boolean;
  /** The state of a web view; undefined: it is another panel. */
  permissions: JsonObject | undefined;
  on: {
    allow(permission: { popups: boolean } | { downloads: boolean }): void;
    split(side: "right" | "down"): void;
    moveTo(leafId: string): void;
    maximise(): void;
    rename(): void;
    close(): void;
    closeOthers(): void;
  };
};

/** The menu of a tab. It has only what is possible now. */
function panelMenu({ root, tabId, isMaximised, isNarrow, permissions, on }: MenuOptions): MenuItem[] {
  const leaf = leafOfTab(root, tabId);
  const next = leaf && leafAfter(root, leaf.id);
  const items: (MenuItem | false | undefined)[] = [
    { label: "Split right", onSelect: () => on.split("right") },
    { label: "Split below", onSelect: () => on.split("down") },
    next && { label: "Move to next panel", onSelect: () => on.moveTo(next.id) },
    next && !isNarrow && { label: isMaximised ? "Restore" : "Maximise", onSelect: on.maximise },
    ...(permissions ? permissionItems(permissions, on.allow) : []),
    { label: "Rename", onSelect: on.rename, startsGroup: true },
    { label: "Close", hint: "Delete", onSelect: on.close },
    (leaf?.tabs.length ?? 0) > 1 && { label: "Close others", onSelect: on.closeOthers },
  ];
  return items.filter((item): item is MenuItem => item !== false && item !== undefined);
}

/** What the site in a web view may do beyond its frame. */
function permissionItems({ popups, downloads }: JsonObject, allow: MenuOptions["on"]["allow"]): MenuItem[] {
  const word = (isAllowed: boolean) => (isAllowed ? "Block" : "Allow");
  return [
    {
      label: `${word(popups === true)} popups`,
      startsGroup: true,
      onSelect: () => allow({ popups: popups !== true }),
    },
    { label: `${word(downloads === true)} downloads`, onSelect: () => allow({ downloads: downloads !== true }) },
  ];
}

type RenameProps = { name: string; onRename: (name: string) => void; onClose: () => void };

function RenameDialog({ name, onRename, onClose }: RenameProps) {
  const [value, setValue] = useState(name);
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => field.current?.select(), []);

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = value.trim();
    if (wanted === "") {
      setFault("Type a name, such as Yaw step response.");
      return field.current?.focus();
    }
    if (wanted !== name) onRename(wanted);
    onClose();
  };

  return (
    <Dialog label={`Rename ${name}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <div className="dialog-body">
          <Field
            ref={field}
            label="Tab name"
            name="tab-name"
            value={value}
            onChange={setValue}
            hint="Programs can find the panel by this name, too."
            fault={fault}
            maxLength={PANELS_LIMITS.maxNameLength}
            autoFocus
          />
        </div>
        <div className="dialog-foot">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary">
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keyboard shortcuts" className="shortcuts" onClose={onClose}>
      <div className="dialog-head">
        <h2>Keyboard shortcuts</h2>
        <Button size="small" onClick={onClose}>
          Close
        </Button>
      </div>
      <dl className="dialog-body">
        {shortcutLines(isMac()).map(({ keys, what }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="dialog-foot small muted">
        A page inside a panel gets all keys while it has the focus. Click a tab to come back.
      </p>
    </Dialog>
  );
}
