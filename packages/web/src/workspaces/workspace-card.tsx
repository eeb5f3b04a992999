import type { WorkspaceSummary } from "@backplane/contract/panels";
import { useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { Icon } from "../parts/icon.tsx";
import { lastUse } from "../parts/times.ts";
import { counted } from "../parts/words.ts";
import { workspaceAddress } from "../workspace/calls.ts";
import { Menu, type MenuItem } from "../workspace/parts/menu.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { leavePath } from "./invitations.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { Thumbnail } from "./thumbnail.tsx";

type Props = { workspace: WorkspaceSummary; userName: string; now: Date; onChanged: () => Promise<void> };

/** One workspace in the list. */
export function WorkspaceCard({ workspace, userName, now, onChanged }: Props) {
  const { owner, repo, tabs, outline, updatedAt, browserConnected } = workspace;
  return (
    <article className="card workspace-card" aria-label={`${owner}/${repo}`}>
      <Thumbnail outline={outline} />
      <div className="workspace-words">
        <div className="spread">
          <h2>
            {/* A page load, not a router link: workspaces have a content security policy that allows frames. */}
            <a href={workspaceAddress(workspace)}>
              {owner !== userName && <span className="muted">{owner}/</span>}
              {repo}
            </a>
          </h2>
          <CardMenu workspace={workspace} userName={userName} onChanged={onChanged} />
        </div>
        <p className="muted">{tabs === 0 ? "No panels yet" : counted(tabs, "panel")}</p>
        <div className="spread small muted">
          {browserConnected ? <span className="badge ok">in use now</span> : <span />}
          <time dateTime={updatedAt}>{lastUse(new Date(updatedAt), now)}</time>
        </div>
      </div>
    </article>
  );
}

type Opened = "menu" | "rename" | "share" | "delete";

function CardMenu({ workspace, userName, onChanged }: Omit<Props, "now">) {
  const { act } = useAction();
  const [opened, setOpened] = useState<Opened>();
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
          })}
          onClose={close}
        />
      )}
      {opened === "rename" && <RenameDialog workspace={workspace} onClose={close} onRenamed={done} />}
      {opened === "share" && <ShareDialog workspace={workspace} onClose={close} />}
      {opened === "delete" && <DeleteDialog workspace={workspace} onClose={close} onDeleted={done} />}
    </>
  );
}

/** Only what this person may do. */
function itemsFor(workspace: WorkspaceSummary, { open, leave }: { open: (what: Opened) => void; leave: () => void }) {
  const items: MenuItem[] = [{ label: "Open", href: workspaceAddress(workspace) }];
  if (workspace.isShared) items.push({ label: "Leave", startsGroup: true, onSelect: leave });
  if (!workspace.mayManage) return items;
  return [
    ...items,
    { label: "Rename", onSelect: () => open("rename") },
    { label: "Share", onSelect: () => open("share") },
    { label: "Delete", isDanger: true, startsGroup: true, onSelect: () => open("delete") },
  ];
}
