import type { PublishedVersion } from "@backplane/contract/registry";
import { Link } from "react-router";
import { Button } from "../../parts/button.tsx";
import { Command } from "../../parts/command.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { terminalCommand } from "../../parts/terminal-command.ts";
import { CardTitle } from "../../shell/cards.tsx";
import { packagePage } from "../paths.ts";
import { NoteList } from "./check-result.tsx";

type Props = { published: PublishedVersion; name: string | undefined; onAgain: () => void };

/** After publishing: where the version is, and how to install it. */
export function PublishedPart({ published, name, onAgain }: Props) {
  const { identifier, version, owner, private: isPrivate, warnings } = published;
  const command = terminalCommand(`pkg install ${identifier}`);
  return (
    <>
      <div className="page-head">
        <div>
          <CardTitle name="Published">
            Published <bdi>{name ?? identifier}</bdi> {version}
          </CardTitle>
          <p>
            {isPrivate
              ? "Only its owner and whoever has a secret address can see it."
              : "Design tools see it at their next refresh."}{" "}
            Its owner is {owner}.
          </p>
        </div>
      </div>
      <section className="card" aria-label="Published">
        <div className="card-body checked">
          <dl className="facts">
            <dt>Page</dt>
            <dd>
              <Link to={packagePage(identifier)}>{identifier}</Link>
            </dd>
            <dt>Archive</dt>
            <dd>
              <a href={published.download_url} download>
                {published.download_url}
              </a>
            </dd>
            <dt>sha256</dt>
            <dd>
              <code>{published.download_sha256}</code>
            </dd>
          </dl>
          {!isPrivate && (
            <div>
              <p className="dense install-label">Install it</p>
              <div className="copy">
                <Command text={command} />
                <CopyButton text={command} />
              </div>
            </div>
          )}
          <NoteList notes={warnings} />
          <div className="row publish-row">
            <Link className="btn primary" to={packagePage(identifier)}>
              Open the package
            </Link>
            <Button onClick={onAgain}>Publish another</Button>
          </div>
        </div>
      </section>
    </>
  );
}
