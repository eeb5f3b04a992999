import { Link } from "react-router";
import { PageTitle } from "./shell/page-title.tsx";

export function NotFoundPage() {
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle name="Page not found" />
          <p>There is nothing at this address. Check the spelling, or start from the overview.</p>
        </div>
      </div>
      <Link className="btn" to="/">
        Go to the overview
      </Link>
    </>
  );
}
