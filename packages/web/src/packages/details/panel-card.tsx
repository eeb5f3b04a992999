import type { PanelManifest } from "@backplane/contract/panels";
import { Link } from "react-router";
import { WantsList } from "../../parts/panel-wants/wants-list.tsx";

/** Of a panel for workspaces: what it wants, and how it is added. */
export function PanelCard({ panel, version }: { panel: PanelManifest; version: string }) {
  return (
    <section className="card" aria-labelledby="panel">
      <div className="card-head">
        <h2 id="panel">Panel for workspaces</h2>
        <code className="dense muted">{version}</code>
      </div>
      <div className="card-body">
        <p>
          In a <Link to="/workspaces">workspace</Link>, choose Add panel, then Get more, then {panel.title}. You are
          asked to allow this first:
        </p>
        <WantsList wants={panel.wants} />
      </div>
    </section>
  );
}
