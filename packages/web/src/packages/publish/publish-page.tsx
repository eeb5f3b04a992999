import "../packages.css";
import "./publish.css";
import { Link } from "react-router";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { useSession } from "../../session/session.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { signInAddress } from "../../sign-in/return-to.ts";
import { PUBLISH_PAGE } from "../paths.ts";
import { PublishForm } from "./publish-form.tsx";
import { PUBLISH_NAME, PublishHead } from "./publish-head.tsx";

export function PublishPage() {
  const { who, ask } = useSession();
  switch (who.is) {
    case "asking":
      return (
        <div className="sr">
          <PageTitle name={PUBLISH_NAME} />
        </div>
      );
    case "silent":
      return (
        <>
          <PublishHead />
          <Note tone="danger" role="alert">
            <strong>Backplane does not answer.</strong> Check that it runs and that you are connected, then{" "}
            <button className="link" type="button" onClick={ask}>
              try again
            </button>
            .
          </Note>
        </>
      );
    case "out":
      return (
        <>
          <PublishHead />
          <section className="card empty" aria-label="Sign in">
            <Icon name="person" />
            <h2>Sign in to publish</h2>
            <p>A package belongs to the account or organisation that publishes it first.</p>
            <Link className="btn primary" to={signInAddress(PUBLISH_PAGE)}>
              Sign in
            </Link>
          </section>
        </>
      );
    case "in":
      return <PublishForm key={who.user.id} user={who.user} />;
  }
}
