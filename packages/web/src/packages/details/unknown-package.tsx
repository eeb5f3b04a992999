import { Link } from "react-router";
import { PageTitle } from "../../shell/page-title.tsx";
import { searchPage } from "../paths.ts";

export function UnknownPackage({ identifier }: { identifier: string }) {
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle name="No such package" />
          <p>
            Nothing is published as <code>{identifier}</code>. Check its spelling, or search for it.
          </p>
        </div>
      </div>
      <Link className="btn" to={searchPage(identifier)}>
        Search packages
      </Link>
    </>
  );
}
