import type { Layout, WorkspaceSummary } from "@backplane/contract/panels";
import { type KeyboardEvent, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { Icon } from "../parts/icon.tsx";
import { FaultNote } from "../parts/note.tsx";
import { lastUse } from "../parts/times.ts";
import { counted } from "../parts/words.ts";
import { initials } from "../session/who.ts";
import { type WorkspaceName, workspaceAddress, workspaceRoute } from "../workspace/calls.ts";
import { Menu, type MenuItem } from "../workspace/parts/menu.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { leavePath } from "./invitations.tsx";
import { DuplicateDialog, RenameDialog } from "./name-dialogs.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { Thumbnail } from "./thumbnail.tsx";

type Props = { workspace: WorkspaceSummary; userName: string; now: Date; onChanged: () => Promise<void> };

/** One workspace in the list. F2 renames the one that has the focus. */
export function WorkspaceCard({ workspace, userName, now, onChanged }: Props) {
  const { owner, repo, tabs, outline, updatedAt, browserConnected, mayManage } = workspace;
  const [opened, setOpened] = useState<Opened>();
  const press = (event: KeyboardEvent) => {
    const isInDialog = opened !== undefined && opened !== "menu";
    if (event.key !== "F2" || !mayManage || isInDialog) return;
    event.preventDefault();
    setOpened("rename");
  };
  return (
    <article className="card workspace-card" aria-label={`${owner}/${repo}`} onKeyDownCapture={press}>
      <div className="workspace-picture">
        <Thumbnail outline={outline} />
        {browserConnected && <span className="badge ok">in use now</span>}
      </div>
      <div className="workspace-words">
        <div className="spread">
          <h2>
            {/* A page load, not a router link: workspaces have a content security policy that allows frames. */}
            <a href={workspaceAddress(workspace)} {...(mayManage ? { "aria-keyshortcuts": "F2" } : {})}>
              {owner !== userName && <span className="muted">{owner}/</span>}
              {repo}
            </a>
          </h2>
          <CardMenu {...{ workspace, userName, onChanged, opened, setOpened }} />
        </div>
        <p className="muted">{tabs === 0 ? "No panels yet" : counted(tabs, "panel")}</p>
        <div className="spread small muted">
          <span className="avatar" title={owner} aria-hidden="true">
            {initials(owner)}
          </span>
          <time dateTime={updatedAt}>{lastUse(new Date(updatedAt), now)}</time>
        </div>
      </div>
    </article>
  );
}

type Opened = "menu" | "rename" | "share" | "duplicate" | "delete";
type MenuProps = Omit<Props, "now"> & {
  opened: Opened | undefined;
  setOpened: (opened: Opened | undefined) => void;
};

function CardMenu({ workspace, userName, onChanged, opened, setOpened }: MenuProps) {
  const { fault, act } = useAction();
  const button = useRef<HTMLButtonElement>(null);
  const name = `${workspace.owner}/${workspace.repo}`;
  const close = () => setOpened(undefined);
  const done = async () => {
    close();
    await onChanged();
  };
  return (
    <>
      <button
        ref={button}
        className="icon-btn small"
        type="button"
        aria-label={`Menu of ${name}`}
        aria-haspopup="menu"
        aria-expanded={opened === "menu"}
        onClick={() => setOpened(opened === "menu" ? undefined : "menu")}
      >
        <Icon name="more" />
      </button>
      {opened === "menu" && button.current && (
        <Menu
          label={name}
          anchor={button.current}
          align="end"
          items={itemsFor(workspace, {
            open: setOpened,
            leave: () => void act({ method: "DELETE", path: leavePath(workspace, userName) }, onChanged),
            save: () => void act<CurrentLayout>({ method: "GET", path: workspaceRoute(workspace, "") }, saveLayout),
          })}
          onClose={close}
        />
      )}
      {fault !== undefined && <FaultNote>{fault}</FaultNote>}
      {opened === "rename" && <RenameDialog workspace={workspace} onClose={close} onDone={done} />}
      {opened === "duplicate" && (
        <DuplicateDialog
          workspace={workspace}
          owner={workspace.isShared ? userName : workspace.owner}
          onClose={close}
          onDone={done}
        />
      )}
      {opened === "share" && <ShareDialog workspace={workspace} onClose={close} />}
      {opened === "delete" && <DeleteDialog workspace={workspace} onClose={close} onDeleted={done} />}
    </>
  );
}

type Actions = { open: (what: Opened) => void; leave: () => void; save: () => void };

/** Only what this person may do. */
function itemsFor(workspace: WorkspaceSummary, { open, leave, save }: Actions): MenuItem[] {
  const { isShared, mayManage } = workspace;
  return [
    { label: "Open in a new tab", icon: "open", href: workspaceAddress(workspace), opensTab: true },
    ...(mayManage
      ? [
          { label: "Rename", icon: "pencil" as const, hint: "F2", onSelect: () => open("rename") },
          { label: "Share", icon: "people" as const, onSelect: () => open("share") },
        ]
      : []),
    { label: "Duplicate", icon: "copy", onSelect: () => open("duplicate") },
    { label: "Save layout as file", icon: "download", onSelect: save },
    ...(isShared ? [{ label: "Leave", icon: "close" as const, startsGroup: true, onSelect: leave }] : []),
    ...(mayManage
      ? [
          {
            ...{ label: "Delete", icon: "trash" as const, isDanger: true, startsGroup: true },
            onSelect: () => open("delete"),
          },
        ]
      : []),
  ];
}

type CurrentLayout = WorkspaceName & Layout;

/** The answer of GET …/current without the repeated keys, as a file of the browser. */
function saveLayout({ owner, repo, revision, root }: CurrentLayout): void {
  const text = `${JSON.stringify({ owner, repo, revision, root }, undefined, 2)}\n`;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${repo}.layout.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}
