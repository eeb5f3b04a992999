import type { User } from "@backplane/contract/accounts";
import type { RegistryFacts } from "@backplane/contract/registry";
import { useResource } from "../../calls/use-resource.ts";
import { Note } from "../../parts/note.tsx";
import { REGISTRY } from "../paths.ts";
import { sizeWords } from "../words.ts";
import { ArchiveHelp } from "./archive-help.tsx";
import { CheckResult } from "./check-result.tsx";
import { FileDrop } from "./file-drop.tsx";
import { PublishHead } from "./publish-head.tsx";
import { PublishedPart } from "./published-part.tsx";
import { Sending } from "./sending.tsx";
import { usePublish } from "./use-publish.ts";

export function PublishForm({ user }: { user: User }) {
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
              onPublish={(owner) => publish(stage.file, stage.checked, owner)}
            />
          )}
        </div>
        <ArchiveHelp maxBytes={maxBytes} />
      </div>
    </>
  );
}
