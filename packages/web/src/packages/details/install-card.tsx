import type { DetailedVersion } from "@backplane/contract/registry";
import { Command } from "../../parts/command.tsx";
import { CopyIconButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { terminalCommand } from "../../parts/terminal-command.ts";
import { REGISTRY } from "../paths.ts";
import { type ToolChoice, toolWords } from "../tool-choice.ts";
import { sizeWords } from "../words.ts";
import { safeLink } from "./links.ts";

type Props = {
  identifier: string;
  version: DetailedVersion;
  /** The chosen tool, when none of the versions works with it. */
  refusedBy: ToolChoice | undefined;
  /** Why older design tools do not list it. */
  needsV2: string | undefined;
  isPrivate: boolean;
};

export function InstallCard({ identifier, version, refusedBy, needsV2, isPrivate }: Props) {
  const href = safeLink(version.download_url);
  return (
    <section className="card" aria-labelledby="install">
      <div className="card-head">
        <h2 id="install">Install</h2>
        <code className="dense muted">{version.version}</code>
      </div>
      <div className="card-body package-install">
        {refusedBy && (
          <Note tone="warn">
            No version works with {toolWords(refusedBy).toLowerCase()}. “Works here” says why not.
          </Note>
        )}
        {needsV2 !== undefined && <Note tone="warn">Only KiCad 10 and later list this package: {needsV2}.</Note>}
        {isPrivate ? (
          <p className="small muted">It is not in the public repository. Design tools get it from a secret address.</p>
        ) : (
          <PublicWays identifier={identifier} />
        )}
        {href !== undefined && (
          <a className="btn" href={href} download>
            <Icon name="download" />
            Download archive, {sizeWords(version.download_size)}
          </a>
        )}
      </div>
    </section>
  );
}

/** How everybody can install a package that is not private. */
function PublicWays({ identifier }: Pick<Props, "identifier">) {
  const command = terminalCommand(`pkg install ${identifier}`);
  return (
    <>
      <div className="copy">
        <Command text={command} />
        <CopyIconButton text={command} label="Copy command" />
      </div>
      <p className="small muted">
        Or add <a href={`${REGISTRY}/repository.json`}>this repository</a> in your design tool and pick the package
        there.
      </p>
    </>
  );
}
