import type { WorkspaceSummary } from "@backplane/contract/panels";
import { useAction } from "../../calls/use-action.ts";
import { useResource } from "../../calls/use-resource.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { FaultNote } from "../../parts/note.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { type WorkspaceName, workspaceAddress, workspaceRoute } from "../calls.ts";
import { Closed } from "../closed.tsx";
import { renamedFrom, similarNames } from "./similar-names.ts";

type Props = { workspace: WorkspaceName; wasRemoved: boolean; onCreated: () => void };

/** Asks before a workspace is created: its address may be mistyped. */
export function MissingWorkspace({ workspace, wasRemoved, onCreated }: Props) {
  const { value } = useResource<{ workspaces: WorkspaceSummary[] }>("/api/workspaces");
  const { busy, fault, act } = useAction();
  const name = `${workspace.owner}/${workspace.repo}`;
  const known = value?.workspaces ?? [];
  const renamed = renamedFrom(workspace, known);
  return (
    <Closed>
      <Icon name="box" />
      <PageTitle name={wasRemoved ? "This workspace was removed" : `There is no workspace ${name}`} />
      {renamed ? (
        <p>
          It was renamed to <NameLink name={renamed} />.
        </p>
      ) : (
        <>
          <p>
            {wasRemoved ? `Somebody removed ${name}, or renamed it.` : "Check the address, or create the workspace."}
          </p>
          <Similar names={similarNames(workspace, known)} />
        </>
      )}
      <FaultNote>{fault}</FaultNote>
      <div className="row closed-choices">
        {/* The first use of a workspace creates it. */}
        <Button busy={busy} onClick={() => void act({ method: "GET", path: workspaceRoute(workspace, "") }, onCreated)}>
          {wasRemoved ? "Create it again" : `Create ${name}`}
        </Button>
        <a className="btn" href="/workspaces">
          Go to your workspaces
        </a>
      </div>
    </Closed>
  );
}

function Similar({ names }: { names: readonly WorkspaceName[] }) {
  if (names.length === 0) return null;
  return (
    <p>
      Did you mean{" "}
      {names.map((name, index) => (
        <span key={`${name.owner}/${name.repo}`}>
          {index > 0 && (index === names.length - 1 ? " or " : ", ")}
          <NameLink name={name} />
        </span>
      ))}
      ?
    </p>
  );
}

const NameLink = ({ name }: { name: WorkspaceName }) => (
  <a href={workspaceAddress(name)}>
    {name.owner}/{name.repo}
  </a>
);
