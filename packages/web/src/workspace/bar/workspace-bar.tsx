import "./bar.css";
import type { User } from "@backplane/contract/accounts";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { initials } from "../../session/who.ts";
import { Mark } from "../../shell/mark.tsx";
import type { WorkspaceName } from "../calls.ts";
import type { LiveState } from "../live/live-client.ts";
import { WorkspaceMenu } from "./workspace-menu.tsx";

type Props = {
  workspace: WorkspaceName;
  user: User;
  connection: LiveState["connection"];
  share: ReactNode;
  onAdd: () => void;
  onHelp: () => void;
};

/** The bar of a workspace. Its links load a page: the ones outside have another policy for what they may load. */
export function WorkspaceBar({ workspace, user, connection, share, onAdd, onHelp }: Props) {
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
            title="What you see may be out of date. Changes are not sent meanwhile."
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
      <a className="who" href="/account">
        <span className="avatar" aria-hidden="true">
          {initials(user.name)}
        </span>
        <span className="sr">{user.name}, your account</span>
      </a>
    </header>
  );
}
