import type { PackageDetails } from "@backplane/contract/registry";
import { Link } from "react-router";
import { PageTitle } from "../../shell/page-title.tsx";
import { PackageIcon } from "../package-icon.tsx";
import { PUBLISH_PAGE } from "../paths.ts";
import { typeWords } from "../words.ts";

export function PackageHead({ details }: { details: PackageDetails }) {
  const { identifier, name, type } = details;
  return (
    <>
      <nav className="crumbs" aria-label="Where this is">
        <Link to="/packages">Packages</Link> / <bdi>{name}</bdi>
      </nav>
      <div className="package-top">
        <PackageIcon identifier={identifier} type={type} hasIcon={details.has_icon} size="large" />
        <div className="package-title">
          <div className="row">
            <PageTitle name={name}>
              <bdi>{name}</bdi>
            </PageTitle>
            <span className="badge">{typeWords[type]}</span>
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
