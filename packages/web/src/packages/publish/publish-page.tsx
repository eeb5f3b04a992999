import "../packages.css";
import "./publish.css";
import { Link } from "react-router";
import { Icon } from "../../parts/icon.tsx";
import { SignedInPage } from "../../session/signed-in-page.tsx";
import { signInAddress } from "../../sign-in/return-to.ts";
import { PUBLISH_PAGE } from "../paths.ts";
import { PublishForm } from "./publish-form.tsx";
import { PUBLISH_NAME, PublishHead } from "./publish-head.tsx";

export function PublishPage() {
  return (
    <SignedInPage name={PUBLISH_NAME} head={<PublishHead />} invitation={<SignInToPublish />}>
      {(user) => <PublishForm key={user.id} user={user} />}
    </SignedInPage>
  );
}

function SignInToPublish() {
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
}
