import { CopyIconButton } from "../../parts/copy-button.tsx";
import { sizeWords } from "../words.ts";

const COMMAND = "backplane pkg publish";

/** What an archive holds, for who makes the first one. */
export function ArchiveHelp({ maxBytes }: { maxBytes: number | undefined }) {
  return (
    <section className="card" aria-labelledby="archive">
      <div className="card-head">
        <h2 id="archive">What an archive holds</h2>
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
            <code>resources</code>, <code>colors</code>, <code>templates</code>, <code>scripts</code>. The rest is not
            installed.
          </dd>
          <dt>Icon</dt>
          <dd>
            <code>resources/icon.png</code>, 64 by 64 pixels.
          </dd>
          {maxBytes !== undefined && (
            <>
              <dt>Size</dt>
              <dd>At most {sizeWords(maxBytes)}.</dd>
            </>
          )}
        </dl>
        <p>Sizes, sha256 and download address are filled in here.</p>
        <p>From a terminal, in the folder of the package:</p>
        <div className="copy">
          <code className="prompted">{COMMAND}</code>
          <CopyIconButton text={COMMAND} label="Copy command" />
        </div>
      </div>
    </section>
  );
}
