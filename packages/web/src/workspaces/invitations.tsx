import type { WorkspaceList } from "@backplane/contract/panels";
import { useAction } from "../calls/use-action.ts";
import { Button } from "../parts/button.tsx";
import { FaultNote } from "../parts/note.tsx";
import { type WorkspaceName, workspacePath } from "../workspace/calls.ts";

type Props = { invitations: WorkspaceList["invitations"]; userName: string; onAnswered: () => Promise<void> };

/** Workspaces that others want to share with this person. */
export function Invitations({ invitations, userName, onAnswered }: Props) {
  return invitations.map((workspace) => (
    <Invitation
      key={`${workspace.owner}/${workspace.repo}`}
      workspace={workspace}
      userName={userName}
      onAnswered={onAnswered}
    />
  ));
}

type InvitationProps = { workspace: WorkspaceName; userName: string; onAnswered: () => Promise<void> };

function Invitation({ workspace, userName, onAnswered }: InvitationProps) {
  const { busy, fault, act } = useAction();
  const path = workspacePath(workspace);
  return (
    <section className="card workspace-invitation" aria-label={`Invitation to ${workspace.repo}`}>
      <p className="grow">
        <b>{workspace.owner}</b> shares the workspace <b>{workspace.repo}</b> with you.
      </p>
      <FaultNote>{fault}</FaultNote>
      <div className="row">
        <Button
          look="primary"
          busy={busy}
          onClick={() => void act({ method: "POST", path: `${path}/accept` }, onAnswered)}
        >
          Accept
        </Button>
        <Button onClick={() => void act({ method: "DELETE", path: leavePath(workspace, userName) }, onAnswered)}>
          Decline
        </Button>
      </div>
    </section>
  );
}

/** By their own name a person leaves, or declines. */
export const leavePath = (workspace: WorkspaceName, userName: string): string =>
  `${workspacePath(workspace)}/people/${encodeURIComponent(userName)}`;
