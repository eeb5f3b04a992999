import "./bar.css";
import type { User } from "@backplane/contract/accounts";
import type { WorkspaceSummary } from "@backplane/contract/panels";
import { type ReactNode, useState } from "react";
import { call } from "../calls/call.ts";
import { Button } from "../parts/button.tsx";
import { Mark } from "../shell/mark.tsx";
import { type WorkspaceName, workspaceAddress } from "./calls.ts";
import type { LiveState } from "./live/live-client.ts";
import type { MenuItem } from "./parts/menu.tsx";
import { MenuButton } from "./parts/menu-button.tsx";
import { WhoLink } from "./parts/who-link.tsx";

type Props = {
  workspace: WorkspaceName;
  user: User;
  connection: LiveState["connection"];
  share: ReactNode;
  /** Record and stop, where there are devices. */
  devices: ReactNode;
  onAdd: () => void;
  onHelp: () => void;
};

/** Its links load the page: pages outside a workspace have another content policy. */
export function WorkspaceBar({ workspace, user, connection, share, devices, onAdd, onHelp }: Props) {
  return (
    <header className="bar workspace-bar">
      <a className="brand" href="/" aria-label="Backplane, overview">
        <Mark />
      </a>
      <h1 className="crumb">
        <span className="crumb-owner">
          <span className="cut">{workspace.owner}</span>
          <span aria-hidden="true">/</span>
        </span>
        <b className="cut">{workspace.repo}</b>
      </h1>
      <WorkspaceMenu workspace={workspace} onHelp={onHelp} />
      <span className="grow" />
      <div role="status">
        {connection === "lost" && (
          <span
            className="state warn bar-state"
            title="What you see may be out of date. Changes are not sent until the connection is back."
          >
            Reconnecting…
          </span>
        )}
      </div>
      <Button size="small" icon="plus" label="Add panel" className="add-panel" onClick={onAdd}>
        Add panel
      </Button>
      <span className="bar-line" aria-hidden="true" />
      {share}
      {devices}
      <WhoLink user={user} />
    </header>
  );
}

const MAX_SHOWN = 12;

type MenuProps = { workspace: WorkspaceName; onHelp: () => void };

/** Switches to another workspace. */
function WorkspaceMenu({ workspace, onHelp }: MenuProps) {
  const [known, setKnown] = useState<readonly WorkspaceSummary[]>([]);
  const load = async () => {
    const answer = await call<{ workspaces: WorkspaceSummary[] }>({ method: "GET", path: "/api/workspaces" });
    if (answer.ok) setKnown(answer.value.workspaces);
  };

  const isThis = ({ owner, repo }: WorkspaceName) =>
    `${owner}/${repo}`.toLowerCase() === `${workspace.owner}/${workspace.repo}`.toLowerCase();
  const items: MenuItem[] = [
    ...known.slice(0, MAX_SHOWN).map((each) => ({
      label: `${each.owner}/${each.repo}`,
      hint: each.tabs === 1 ? "1 tab" : `${each.tabs} tabs`,
      href: workspaceAddress(each),
      isCurrent: isThis(each),
    })),
    {
      label: "Devices of this workspace",
      href: `${workspaceAddress(workspace)}/devices`,
      startsGroup: known.length > 0,
    },
    { label: "Recordings of this workspace", href: `${workspaceAddress(workspace)}/recordings` },
    { label: "All workspaces", href: "/workspaces", startsGroup: true },
    { label: "Keyboard shortcuts", hint: "?", onSelect: onHelp },
  ];

  return <MenuButton icon="down" label="Switch workspace" menuLabel="Workspaces" items={items} onOpen={load} />;
}
