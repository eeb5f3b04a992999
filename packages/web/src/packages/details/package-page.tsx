import "../packages.css";
import "./details.css";
import type { PackageDetails } from "@backplane/contract/registry";
import { useParams } from "react-router";
import { faultWords } from "../../calls/fault-words.ts";
import { useResource } from "../../calls/use-resource.ts";
import { Note } from "../../parts/note.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { detailsPath } from "../paths.ts";
import { useToolChoice } from "../use-tool-choice.ts";
import { FactsCard } from "./facts-card.tsx";
import { InstallCard } from "./install-card.tsx";
import { PackageHead } from "./package-head.tsx";
import { PackageSkeleton } from "./package-skeleton.tsx";
import { PlainText } from "./plain-text-view.tsx";
import { noneWorks, shownVersion } from "./shown-version.ts";
import { UnknownPackage } from "./unknown-package.tsx";
import { VersionsCard } from "./versions-card.tsx";

/** An identifier that is none of any package is refused before it is looked for. */
const UNKNOWN = new Set([400, 404, 422]);

export function PackagePage() {
  const { identifier = "" } = useParams();
  return <PackageOf key={identifier} identifier={identifier} />;
}

function PackageOf({ identifier }: { identifier: string }) {
  const tools = useToolChoice();
  const { value: details, fault, reload } = useResource<PackageDetails>(detailsPath(identifier, tools.choice));

  if (fault && UNKNOWN.has(fault.status)) return <UnknownPackage identifier={identifier} />;
  if (!details && !fault) return <PackageSkeleton />;
  const version = shownVersion(details?.versions ?? []);
  return (
    <>
      {!details && (
        <div className="page-head">
          <PageTitle name={identifier} />
        </div>
      )}
      {fault && (
        <div className="pkg-note">
          <Note tone="danger" role="alert">
            <strong>{details ? "This page may have changed." : "The package is not shown."}</strong> {faultWords(fault)}{" "}
            <button className="link" type="button" onClick={reload}>
              Try again
            </button>
          </Note>
        </div>
      )}
      {details && (
        <>
          <PackageHead details={details} />
          <div className="pkg-columns">
            <div className="package-main">
              <VersionsCard details={details} tools={tools} onChanged={reload} />
              <section className="card" aria-labelledby="about">
                <div className="card-head">
                  <h2 id="about">About</h2>
                </div>
                <div className="card-body prose">
                  <PlainText text={details.description_full || details.description} />
                </div>
              </section>
            </div>
            <aside className="package-side" aria-label="Install and facts">
              {version && (
                <InstallCard
                  identifier={details.identifier}
                  version={version}
                  refusedBy={noneWorks(details.versions) ? tools.choice : undefined}
                />
              )}
              <FactsCard details={details} version={version} />
            </aside>
          </div>
        </>
      )}
    </>
  );
}
