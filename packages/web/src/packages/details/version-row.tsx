import type { DetailedVersion, PackageDetails, Status } from "@backplane/contract/registry";
import { useRef, useState } from "react";
import { longDate } from "../../parts/times.ts";
import { age, counted, platformList, sizeWords, toolRange } from "../words.ts";
import { safeLink } from "./links.ts";
import { StatusBadge } from "./status-badge.tsx";
import { ConfirmStatus, StatusSelect } from "./status-change.tsx";
import { WorksHere } from "./works-here.tsx";

type Props = {
  details: PackageDetails;
  version: DetailedVersion;
  withTool: boolean;
  now: Date;
  onChanged: () => Promise<void>;
};

/** How many columns there are, for a row that is one sentence. */
const COLUMNS = 7;

export function VersionRow({ details, version, withTool, now, onChanged }: Props) {
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
          <small>{counted(version.downloads, "time", "times")}</small>
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
