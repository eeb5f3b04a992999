import type { User } from "@backplane/contract/accounts";
import type { Usage } from "@backplane/contract/platform";
import { useState } from "react";
import { useResource } from "../calls/use-resource.ts";
import { sizeWords } from "../packages/words.ts";
import { Note } from "../parts/note.tsx";
import { State } from "../parts/state.tsx";
import { counted } from "../parts/words.ts";
import { Loaded, Section, type SectionInfo } from "./section.tsx";

export const USAGE: SectionInfo = { id: "usage", title: "Usage" };

/** From here on a quota is marked, so that people see it before it is full. */
const WARN_PERCENT = 90;

/** How much of the quotas this person and their organisations use. */
export function UsageSection({ user: { name, organisations } }: { user: User }) {
  const [owner, setOwner] = useState(name);
  const owners = [name, ...organisations.map((organisation) => organisation.name)];
  return (
    <Section
      info={USAGE}
      action={
        owners.length > 1 && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend and a frame
          <div className="segmented" role="group" aria-label="Whose">
            {owners.map((each) => (
              <button key={each} type="button" aria-pressed={each === owner} onClick={() => setOwner(each)}>
                {each === name ? "Mine" : each}
              </button>
            ))}
          </div>
        )
      }
    >
      <UsageOf key={owner} owner={owner} />
    </Section>
  );
}

function UsageOf({ owner }: { owner: string }) {
  const usage = useResource<Usage>(`/api/usage?owner=${encodeURIComponent(owner)}`);
  return (
    <Loaded resource={usage} what="Usage">
      {({ files, workspaces, archives, packages }) => (
        <>
          {percentOf(files.bytes, files.maxBytes) >= WARN_PERCENT && (
            <div className="part-note">
              <Note tone="warn">
                <strong>Files and screenshots are at {percentOf(files.bytes, files.maxBytes)} %.</strong> When they are
                full, nothing more can be saved. Delete some, or ask the owner of this Backplane for more.
              </Note>
            </div>
          )}
          <div className="quotas">
            <Quota
              title="Files and screenshots"
              used={files.bytes}
              max={files.maxBytes}
              words={sizeWords}
              line={`in ${counted(workspaces.count, "workspace")}`}
            />
            <Quota
              title="Published archives"
              used={archives.bytes}
              max={archives.maxBytes}
              words={sizeWords}
              line={counted(archives.versions, "version")}
            />
            <Quota title="Workspaces" used={workspaces.count} max={workspaces.max} words={inDigits} />
            <Quota title="Packages" used={packages.count} max={packages.max} words={inDigits} />
          </div>
        </>
      )}
    </Loaded>
  );
}

type QuotaProps = { title: string; used: number; max: number; words: (amount: number) => string; line?: string };

function Quota({ title, used, max, words, line }: QuotaProps) {
  const percent = percentOf(used, max);
  const isNearlyFull = percent >= WARN_PERCENT;
  return (
    <div className="quota">
      <div className="spread">
        <b>{title}</b>
        <span className="nowrap">
          {words(used)} <span className="muted">of {words(max)}</span>
        </span>
      </div>
      <div className={isNearlyFull ? "quota-meter warn" : "quota-meter"} aria-hidden="true">
        <i style={{ width: `${Math.min(100, percent)}%` }} />
      </div>
      <div className="spread small muted">
        <span>{line}</span>
        {isNearlyFull && <State tone="warn" word={`${percent} %`} />}
      </div>
    </div>
  );
}

const percentOf = (used: number, max: number): number => Math.round((100 * used) / max);

const inDigits = (count: number): string => count.toLocaleString("en");
