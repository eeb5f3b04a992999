import { Link } from "react-router";
import { PageTitle } from "../../shell/page-title.tsx";

export const PUBLISH_NAME = "Publish a package";

export function PublishHead() {
  return (
    <>
      <nav className="crumbs" aria-label="Where this is">
        <Link to="/packages">Packages</Link> / Publish
      </nav>
      <div className="page-head">
        <div>
          <PageTitle name={PUBLISH_NAME} />
          <p>Upload the archive of one version. The bytes of a published version never change.</p>
        </div>
      </div>
    </>
  );
}
