import "../packages.css";
import "./publish.css";
import type { User } from "@backplane/contract/accounts";
import type { RegistryFacts } from "@backplane/contract/registry";
import { Link } from "react-router";
import { useResource } from "../../calls/use-resource.ts";
import { Command } from "../../parts/command.tsx";
import { CopyIconButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { terminalCommand } from "../../parts/terminal-command.ts";
import { SignedInPage } from "../../session/signed-in-page.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { signInAddress } from "../../sign-in/return-to.ts";
import { PUBLISH_PAGE, REGISTRY } from "../paths.ts";
import { sizeWords } from "../words.ts";
import { CheckResult } from "./check-result.tsx";
import { FileDrop, Sending } from "./file-drop.tsx";
import { PublishedPart } from "./published-part.tsx";
import { usePublish } from "./use-publish.ts";

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

function PublishForm({ user }: { user: User }) {
  const { value: facts } = useResource<RegistryFacts>(REGISTRY);
  const maxBytes = facts?.max_archive_bytes;
  const { stage, check, publish, startAgain } = usePublish(maxBytes);

  if (stage.is === "published") {
    return <PublishedPart published={stage.published} name={stage.checked.name} onAgain={startAgain} />;
  }
  const limit = maxBytes === undefined ? "A zip archive." : `A zip archive of at most ${sizeWords(maxBytes)}.`;
  return (
    <>
      <PublishHead />
      <div className="pkg-columns">
        <div className="publish-main">
          <section className="card" aria-label="Archive">
            {stage.is === "checking" || stage.is === "publishing" ? (
              <Sending
                name={stage.file.name}
                sent={stage.sent}
                total={stage.file.size}
                then={stage.is === "checking" ? "Checking" : "Publishing"}
                onCancel={startAgain}
              />
            ) : (
              <FileDrop
                word={stage.is === "empty" ? "Drop an archive here, or choose one" : "Drop or choose another archive"}
                hint={
                  stage.is === "empty" ? (
                    `${limit} It is checked first; nothing is published without a click.`
                  ) : (
                    <code>{stage.file.name}</code>
                  )
                }
                fault={stage.is === "empty" ? stage.fault : undefined}
                onFiles={check}
              />
            )}
          </section>
          {stage.is === "unchecked" && (
            <Note tone="danger" role="alert">
              <strong>{stage.fault.head}</strong> {stage.fault.rest}{" "}
              <button className="link" type="button" onClick={() => check([stage.file])}>
                Try again
              </button>
            </Note>
          )}
          {stage.is === "checked" && (
            <CheckResult
              key={stage.checked.download_sha256}
              user={user}
              checked={stage.checked}
              fault={stage.fault}
              onPublish={(choice) => publish(stage.file, stage.checked, choice)}
            />
          )}
        </div>
        <ArchiveHelp maxBytes={maxBytes} />
      </div>
    </>
  );
}

const PUBLISH_NAME = "Publish a package";

function PublishHead() {
  return (
    <>
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/packages">Packages</Link> / Publish
      </nav>
      <div className="page-head">
        <div>
          <PageTitle name={PUBLISH_NAME} />
          <p>Upload the archive of one version. A published version never changes.</p>
        </div>
      </div>
    </>
  );
}

/** What an archive contains, for people who publish for the first time. */
function ArchiveHelp({ maxBytes }: { maxBytes: number | undefined }) {
  const command = terminalCommand("pkg publish");
  return (
    <section className="card" aria-labelledby="archive">
      <div className="card-head">
        <h2 id="archive">What an archive contains</h2>
      </div>
      <div className="card-body archive-help dense">
        <dl className="facts">
          <dt>
            <code>metadata.json</code>
          </dt>
          <dd>At the top, with exactly one version.</dd>
          <dt>Folders</dt>
          <dd>
            <code>plugins</code>, <code>footprints</code>, <code>3dmodels</code>, <code>symbols</code>,{" "}
            <code>resources</code>, <code>colors</code>, <code>templates</code>, <code>scripts</code>. Other files are
            not installed.
          </dd>
          <dt>Icon</dt>
          <dd>
            <code>resources/icon.png</code>, 64 by 64 pixels.
          </dd>
          <dt>Screenshots</dt>
          <dd>
            PNG files in <code>resources/screenshots</code>, for the page of the package.
          </dd>
          {maxBytes !== undefined && (
            <>
              <dt>Size</dt>
              <dd>At most {sizeWords(maxBytes)}.</dd>
            </>
          )}
        </dl>
        <p>Sizes, sha256 and download address are filled in for you.</p>
        <p>From a terminal, in the folder of the package:</p>
        <div className="copy">
          <Command text={command} />
          <CopyIconButton text={command} label="Copy command" />
        </div>
      </div>
    </section>
  );
}
