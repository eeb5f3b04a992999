import "../packages.css";
import "./details.css";
import type { PackageDetails } from "@backplane/contract/registry";
import { lazy, Suspense } from "react";
import { Link, useParams } from "react-router";
import { LoadFailed } from "../../calls/load-failed.tsx";
import { useResource } from "../../calls/use-resource.ts";
import { PageTitle } from "../../shell/page-title.tsx";
import { PackageIcon } from "../package-icon.tsx";
import { detailsPath, PUBLISH_PAGE, searchPage } from "../paths.ts";
import { useToolChoice } from "../use-tool-choice.ts";
import { typeWords } from "../words.ts";
import { FactsCard } from "./facts-card.tsx";
import { InstallCard } from "./install-card.tsx";
import { PanelCard } from "./panel-card.tsx";
import { PlainText } from "./plain-text-view.tsx";
import { PrivateCard } from "./private-card.tsx";
import { ScreenshotsCard } from "./screenshots-card.tsx";
import { noneWorks, shownVersion } from "./shown-version.ts";
import { VersionsCard } from "./versions-card.tsx";

const LibraryCards = lazy(() => import("../library/library-cards.tsx").then((m) => ({ default: m.LibraryCards })));

/** The server refuses an invalid identifier with 400 or 422 instead of 404. */
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
          <LoadFailed
            title={details ? "This package may have changed." : "The package could not be loaded."}
            fault={fault}
            onRetry={reload}
          />
        </div>
      )}
      {details && (
        <>
          <PackageHead details={details} />
          <div className="pkg-columns of-package">
            <div className="package-main">
              {version && version.screenshots.length > 0 && (
                <ScreenshotsCard
                  key={version.version}
                  identifier={details.identifier}
                  screenshots={version.screenshots}
                />
              )}
              <section className="card" aria-labelledby="about">
                <div className="card-head">
                  <h2 id="about">About</h2>
                </div>
                <div className="card-body prose">
                  <PlainText text={details.description_full || details.description} />
                </div>
              </section>
              {version && details.type === "library" && (
                <Suspense>
                  <LibraryCards key={version.version} version={version} />
                </Suspense>
              )}
              <VersionsCard details={details} tools={tools} onChanged={reload} />
            </div>
            <aside className="package-side" aria-label="Install and facts">
              {version?.panel && <PanelCard panel={version.panel} version={version.version} />}
              {version && !version.panel && (
                <InstallCard
                  identifier={details.identifier}
                  version={version}
                  refusedBy={noneWorks(details.versions) ? tools.choice : undefined}
                  needsV2={details.needs_v2}
                  isPrivate={details.private}
                />
              )}
              {details.private && details.may_publish && <PrivateCard owner={details.owner} />}
              <FactsCard details={details} version={version} />
            </aside>
          </div>
        </>
      )}
    </>
  );
}

function PackageHead({ details }: { details: PackageDetails }) {
  const { identifier, name, type } = details;
  return (
    <>
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/packages">Packages</Link> / <bdi>{name}</bdi>
      </nav>
      <div className="package-top">
        <PackageIcon identifier={identifier} type={type} hasIcon={details.has_icon} size="large" />
        <div className="package-title">
          <div className="row">
            <PageTitle name={name}>
              <bdi>{name}</bdi>
            </PageTitle>
            <span className="badge">{typeWords(type)}</span>
            {details.private && <span className="badge warn">private</span>}
          </div>
          <code className="muted">{identifier}</code>
          <p>{details.description}</p>
        </div>
        {details.may_publish && (
          <Link className="btn" to={PUBLISH_PAGE}>
            Publish a new version
          </Link>
        )}
      </div>
    </>
  );
}

function UnknownPackage({ identifier }: { identifier: string }) {
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle name="Package not found" />
          <p>
            Nothing is published as <code>{identifier}</code>. Check the spelling, or search for it.
          </p>
        </div>
      </div>
      <Link className="btn" to={searchPage(identifier)}>
        Search packages
      </Link>
    </>
  );
}

const bars = (count: number) =>
  Array.from({ length: count }, (_, place) => place).map((place) => <div className="skeleton" key={place} />);

/** The shape of the page, shown when the first answer takes longer than 300 ms. */
function PackageSkeleton() {
  return (
    <>
      <div className="sr">
        <PageTitle name="Package" />
      </div>
      <div className="loading">
        <p className="sr" role="status">
          Loading the package
        </p>
        <div aria-hidden="true">
          <div className="crumbs">&nbsp;</div>
          <div className="package-top">
            <span className="pkg-icon large" />
            <div className="package-bars">{bars(3)}</div>
          </div>
          <div className="pkg-columns of-package">
            <div className="card card-body package-bars">{bars(6)}</div>
            <div className="card card-body package-bars">{bars(4)}</div>
          </div>
        </div>
      </div>
    </>
  );
}
