import type { PackageDetails } from "@backplane/contract/registry";
import { useNow } from "../../parts/use-now.ts";
import { namedTools } from "../tool-choice.ts";
import { ToolSelect } from "../tool-select.tsx";
import type { Tools } from "../use-tool-choice.ts";
import { versionKey } from "../words.ts";
import { VersionRow } from "./version-row.tsx";

type Props = { details: PackageDetails; tools: Tools; onChanged: () => Promise<void> };

const AGES_EVERY_MS = 60_000;

export function VersionsCard({ details, tools, onChanged }: Props) {
  const now = useNow(AGES_EVERY_MS);
  const { versions } = details;
  const withTool = versions.some(({ works }) => works !== undefined);
  return (
    <section className="card" aria-labelledby="versions">
      <div className="card-head versions-head">
        <h2 id="versions">Versions</h2>
        <ToolSelect label="For" tools={tools} named={namedTools(versions)} />
      </div>
      {versions.length === 0 ? (
        <p className="card-body muted">No version is listed. What is installed stays as it is.</p>
      ) : (
        <table className="table versions">
          <thead>
            <tr>
              <th>Version</th>
              <th>Status</th>
              <th className="wide">Tool</th>
              <th className="wide">Platforms</th>
              <th className="wide">{details.type === "plugin" && "Runtime"}</th>
              <th className="wide num">Download</th>
              {withTool && <th className="wide">Works here</th>}
            </tr>
          </thead>
          <tbody>
            {versions.map((version) => (
              <VersionRow
                key={versionKey(version)}
                details={details}
                version={version}
                withTool={withTool}
                now={now}
                onChanged={onChanged}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
