import { Icon, type IconName } from "../parts/icon.tsx";
import { PageTitle } from "../shell/page-title.tsx";
import type { WorkspaceName } from "./calls.ts";
import { Closed } from "./closed.tsx";

type Props = {
  workspace: WorkspaceName;
  userName: string;
  fault: { code: string; detail: string } | undefined;
  onRetry: () => void;
};

const wordsFor = (code: string | undefined): { name: string; icon: IconName } => {
  if (code === "workspace-not-yours") return { name: "Not your workspace", icon: "denied" };
  if (code === "not-found") return { name: "This workspace was removed", icon: "box" };
  return { name: "This workspace is not shown", icon: "warning" };
};

/** Why a workspace is not shown, and what to do. */
export function Refused({ workspace: { owner, repo }, userName, fault, onRetry }: Props) {
  const isForeign = fault?.code === "workspace-not-yours";
  const { name, icon } = wordsFor(fault?.code);
  return (
    <Closed>
      <Icon name={icon} />
      <PageTitle name={name} />
      {isForeign ? (
        <p>
          {owner}/{repo} belongs to somebody else, or nobody has that name. You are signed in as {userName}. Ask its
          owner to take you into the organisation, or check the address.
        </p>
      ) : (
        <p>{fault?.detail ?? "Backplane refused the connection."}</p>
      )}
      <div className="row">
        {!isForeign && (
          <button className="btn" type="button" onClick={onRetry}>
            {fault?.code === "not-found" ? "Make it anew" : "Try again"}
          </button>
        )}
        <a className="btn" href="/workspaces">
          Go to your workspaces
        </a>
      </div>
    </Closed>
  );
}
