import type { DetailedVersion, PackageDetails, Status } from "@backplane/contract/registry";
import { useRef, useState } from "react";
import { State } from "../../parts/state.tsx";
import { longDate } from "../../parts/times.ts";
import { useNow } from "../../parts/use-now.ts";
import { counted, sentenceCase } from "../../parts/words.ts";
import { namedTools } from "../tool-choice.ts";
import { ToolSelect } from "../tool-select.tsx";
import type { Tools } from "../use-tool-choice.ts";
import { age, platformList, sizeWords, toolRange, versionKey } from "../words.ts";
import { safeLink } from "./links.ts";
import { ConfirmStatus, StatusSelect } from "./status-change.tsx";

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
        <p className="card-body muted">No version is listed. Installed copies stay as they are.</p>
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
      {details.unpublished.length > 0 && (
        <ul className="unpublished" aria-label="Unpublished versions">
          {details.unpublished.map((version) => (
            <li key={versionKey(version)}>
              <code>{versionKey(version)}</code> <span className="badge">unpublished</span>
              <small>
                {longDate(new Date(version.unpublished_at))} by {version.unpublished_by}: <bdi>{version.reason}</bdi>
              </small>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type VersionRowProps = {
  details: PackageDetails;
  version: DetailedVersion;
  withTool: boolean;
  now: Date;
  onChanged: () => Promise<void>;
};

/** For a row that spans all columns. */
const COLUMNS = 7;

function VersionRow({ details, version, withTool, now, onChanged }: VersionRowProps) {
  const [wanted, setWanted] = useState<Status>();
  const select = useRef<HTMLSelectElement>(null);
  const close = () => {
    setWanted(undefined);
    select.current?.focus();
  };
  const isPlugin = details.type === "plugin";
  const publishedAt = new Date(version.published_at);
  const runtime = version.runtime ?? "swig";
  const tools = toolRange(version);
  const platforms = platformList(version.platforms);
  const size = sizeWords(version.download_size);
  const href = safeLink(version.download_url);
  return (
    <>
      <tr className={version.chosen ? "chosen" : undefined}>
        <td>
          <code>{version.chosen ? <strong>{version.version}</strong> : version.version}</code>
          <small title={longDate(publishedAt)}>
            {version.version_epoch > 0 && `epoch ${version.version_epoch}, `}
            {age(publishedAt, now)}
          </small>
          <small className="narrow">
            {tools}
            {version.platforms && `, ${platforms}`}
            {isPlugin && `, ${runtime}`}, {size}
          </small>
          <div className="narrow">
            <WorksHere version={version} />
          </div>
        </td>
        <td>
          {details.may_publish ? (
            <StatusSelect ref={select} version={version} wanted={wanted} onWant={setWanted} />
          ) : (
            <StatusBadge status={version.status} />
          )}
        </td>
        <td className="wide nowrap">{tools}</td>
        <td className="wide">{platforms}</td>
        <td className="wide">{isPlugin && <code>{runtime}</code>}</td>
        <td className="wide num nowrap">
          {href === undefined ? (
            size
          ) : (
            <a href={href} aria-label={`Download ${version.version}, ${size}`} download>
              {size}
            </a>
          )}
          <small>{counted(version.downloads, "download")}</small>
        </td>
        {withTool && (
          <td className="works wide">
            <WorksHere version={version} />
          </td>
        )}
      </tr>
      {wanted && (
        <ConfirmStatus
          identifier={details.identifier}
          version={version}
          wanted={wanted}
          columns={COLUMNS}
          onKeep={close}
          onChanged={async () => {
            await onChanged();
            close();
          }}
        />
      )}
    </>
  );
}

/** Whether a version works with the chosen tool, and why it is or is not the one to install. */
function WorksHere({ version: { works, chosen, because } }: { version: DetailedVersion }) {
  if (works === undefined) return null;
  return (
    <>
      <State tone={works ? "ok" : "off"} word={chosen ? "Yes, preferred" : works ? "Yes" : "No"} />
      {because && !chosen && <small>{sentenceCase(because)}</small>}
    </>
  );
}

const tones: Record<Status, string> = {
  stable: "badge ok",
  testing: "badge warn",
  development: "badge warn",
  deprecated: "badge",
};

const StatusBadge = ({ status }: { status: Status }) => <span className={tones[status]}>{status}</span>;
