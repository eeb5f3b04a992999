import type { PanelManifest, PanelWants } from "@backplane/contract/panels";
import { useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import { WantsList } from "../../../parts/panel-wants/wants-list.tsx";

import type { PanelContext } from "../../panel.ts";
import { DeviceChoice } from "./device-choice.tsx";

export type Question = {
  panel: PanelManifest;
  version: string;
  sha256: string;
  owner: string;
  /** What was allowed before; undefined: it is new. */
  before: { version: string; wants: PanelWants } | undefined;
  isDraft: boolean;
  /** The devices that somebody has chosen before; null: every one that fits. */
  devices: readonly string[] | null;
};

type Props = {
  question: Question;
  project: string;
  busy: boolean;
  fault: string | undefined;
  context: Pick<PanelContext, "devices">;
  onAllow(devices: string[] | null): void;
  onRefuse(): void;
};

/** A decision about trust: both answers have the same size, and nothing is chosen for anybody. */
export function Consent({ question, project, busy, fault, context, onAllow, onRefuse }: Props) {
  const [devices, setDevices] = useState<string[] | null>(question.devices && [...question.devices]);
  const { panel, version, sha256, owner, before, isDraft } = question;
  return (
    <section className="package-consent" aria-label={`What ${panel.title} may do`}>
      <h2>{before ? `${panel.title} ${version} wants more` : `Let ${panel.title} into ${project}?`}</h2>
      <p className="muted">
        {isDraft ? `A draft from the computer of ${owner}, not published` : `By ${owner}`} ·{" "}
        {before ? `${before.version} goes on running until you decide` : version}
      </p>
      <WantsList wants={panel.wants} before={before?.wants} />
      <DeviceChoice {...{ devices: context.devices, wants: panel.wants, ids: devices, onChange: setDevices }} />
      <p className="small muted">
        {isDraft
          ? "What you allow holds for a day, also for later drafts that want no more."
          : "It runs in a frame of its own and sees only what is listed. The workspace is pinned to this version; an update that wants more asks again."}{" "}
        Checksum <code>{`${sha256.slice(0, 8)}…${sha256.slice(-6)}`}</code>
      </p>
      <FaultNote>{fault}</FaultNote>
      <div className="package-answers">
        <Button look="ink" size="large" onClick={onRefuse}>
          {before ? `Keep ${before.version}` : "Do not add"}
        </Button>
        <Button look="primary" size="large" busy={busy} onClick={() => onAllow(devices)}>
          {before ? `Allow ${version}` : "Add panel"}
        </Button>
      </div>
    </section>
  );
}
