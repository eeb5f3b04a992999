import type { WorkspaceSummary } from "@backplane/contract/panels";
import { State } from "../parts/state.tsx";
import { lastUse } from "../parts/times.ts";
import { useNow } from "../parts/use-now.ts";
import { workspaceAddress } from "../workspace/calls.ts";

const MINUTE_MS = 60_000;

export function WorkspaceList({ workspaces }: { workspaces: readonly WorkspaceSummary[] }) {
  const now = useNow(MINUTE_MS);
  return (
    <div className="card workspace-list">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Workspace</th>
            <th scope="col" className="num">
              Tabs
            </th>
            <th scope="col">Last change</th>
            <th scope="col">Browser</th>
          </tr>
        </thead>
        <tbody>
          {workspaces.map((workspace) => {
            const { owner, repo, tabs, updatedAt, browserConnected } = workspace;
            return (
              <tr key={`${owner}/${repo}`}>
                <td>
                  {/* A load, not a step of the app: a workspace may hold frames, and this page may not. */}
                  <a href={workspaceAddress(workspace)}>
                    <span className="muted">{owner}/</span>
                    <b>{repo}</b>
                  </a>
                </td>
                <td className="num">{tabs}</td>
                <td>
                  <time dateTime={updatedAt}>{lastUse(new Date(updatedAt), now)}</time>
                </td>
                <td>
                  <State tone={browserConnected ? "ok" : "off"} word={browserConnected ? "Open" : "Not open"} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
