import { DEVICES_LIMITS, type Recording, type RecordingPreview } from "@backplane/contract/devices";
import { type SubmitEvent, useCallback, useState } from "react";
import { useAction } from "../../../calls/use-action.ts";
import { Button, FormButtons } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import { State } from "../../../parts/state.tsx";
import { happened } from "../../../parts/times.ts";
import { useNow } from "../../../parts/use-now.ts";
import { type WorkspaceName, workspaceAddress, workspaceRoute } from "../../calls.ts";
import { lengthWords, sizeWords } from "../../devices-bar/recording-words.ts";
import { replayAddress } from "../../devices-bar/use-opened-devices.ts";
import { Dialog } from "../../parts/dialog.tsx";
import type { MenuItem } from "../../parts/menu.tsx";
import { MenuButton } from "../../parts/menu-button.tsx";
import { linesOf } from "./preview.ts";

type Props = { workspace: WorkspaceName; recording: Recording; mayControl: boolean; onChanged: () => Promise<void> };

const STATES = {
  recording: { tone: "danger", word: "Recording" },
  whole: { tone: "ok", word: "Whole" },
  cut: { tone: "warn", word: "Cut" },
} as const;

export function RecordingRow({ workspace, recording, mayControl, onChanged }: Props) {
  const { id, name, state, by, start, end, bytes, channels, reason, preview } = recording;
  const now = useNow(1_000);
  const path = workspaceRoute(workspace, `/recordings/${encodeURIComponent(id)}`);
  const isRunning = state === "recording";
  const lengthMs = (isRunning ? now.getTime() : Date.parse(end)) - Date.parse(start);
  return (
    <tr>
      <td>
        <Preview preview={preview} isCut={state === "cut"} />
      </td>
      <td>
        <b>{name}</b>
        <span className="recording-sub">
          {happened(new Date(start), now)}, {isRunning ? "running" : `by ${by}`}
        </span>
      </td>
      <td className="num mono">{lengthWords(lengthMs)}</td>
      <td className="num">{channels}</td>
      <td className="num">{sizeWords(bytes)}</td>
      <td>
        <State {...STATES[state]} />
        {reason !== undefined && <span className="recording-sub">{reason}</span>}
      </td>
      <td className="recording-acts">
        {isRunning ? (
          mayControl && <Stop path={path} onChanged={onChanged} />
        ) : (
          <a className="btn small" href={replayAddress(workspaceAddress(workspace), id)}>
            <Icon name="play" /> Replay
          </a>
        )}
        {!isRunning && <More {...{ path, name, mayControl, onChanged }} />}
      </td>
    </tr>
  );
}

function Stop({ path, onChanged }: { path: string; onChanged: () => Promise<void> }) {
  const { busy, fault, act } = useAction();
  return (
    <>
      <Button
        size="small"
        busy={busy}
        onClick={() => void act({ method: "PATCH", path, body: { state: "stopped" } }, onChanged)}
      >
        Stop
      </Button>
      <FaultNote>{fault}</FaultNote>
    </>
  );
}

type MoreProps = { path: string; name: string; mayControl: boolean; onChanged: () => Promise<void> };

function More({ path, name, mayControl, onChanged }: MoreProps) {
  const [shown, setShown] = useState<"rename" | "delete">();
  const close = useCallback(() => setShown(undefined), []);
  const items: MenuItem[] = [
    { label: "Download MCAP, as recorded", icon: "download", href: `${path}.mcap` },
    { label: "Download CSV", icon: "download", href: `${path}.csv` },
    { label: "Download Parquet", icon: "download", href: `${path}.parquet` },
    ...(mayControl
      ? [
          { label: "Rename", startsGroup: true, onSelect: () => setShown("rename") },
          { label: "Delete", isDanger: true, onSelect: () => setShown("delete") },
        ]
      : []),
  ];
  return (
    <>
      <MenuButton icon="more" label={`Download or change ${name}`} menuLabel={name} align="end" items={items} />
      {shown === "rename" && <Rename {...{ path, name, onChanged }} onClose={close} />}
      {shown === "delete" && <Delete {...{ path, name, onChanged }} onClose={close} />}
    </>
  );
}

type DialogProps = Omit<MoreProps, "mayControl"> & { onClose: () => void };

function Rename({ path, name, onChanged, onClose }: DialogProps) {
  const [value, setValue] = useState(name);
  const { busy, fault, act } = useAction();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = value.trim();
    if (wanted === "") return;
    void act({ method: "PATCH", path, body: { name: wanted } }, async () => {
      onClose();
      await onChanged();
    });
  };
  return (
    <Dialog label={`Rename ${name}`} onClose={onClose}>
      <form onSubmit={submit} className="dialog-body recording-form">
        <Field
          label="Name"
          name="recording-name"
          value={value}
          onChange={setValue}
          fault={fault}
          maxLength={DEVICES_LIMITS.maxRecordingName}
          autoFocus
        />
        <FormButtons submit="Rename" busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function Delete({ path, name, onChanged, onClose }: DialogProps) {
  const { busy, fault, act } = useAction();
  const remove = () =>
    void act({ method: "DELETE", path }, async () => {
      onClose();
      await onChanged();
    });
  return (
    <Dialog label={`Delete ${name}`} onClose={onClose}>
      <div className="dialog-body recording-form">
        <p>
          Delete <b>{name}</b>? The file is removed for everybody, and cannot be brought back.
        </p>
        <FaultNote>{fault}</FaultNote>
        <div className="row">
          <Button look="danger" busy={busy} onClick={remove}>
            Delete
          </Button>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

const MAX_SHOWN = 3;

/** Three channels at most. A file that was cut ends in a torn edge. */
function Preview({ preview, isCut }: { preview: readonly RecordingPreview[]; isCut: boolean }) {
  return (
    <svg className="recording-preview" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {preview.slice(0, MAX_SHOWN).map(({ device, capability, field, points }, place) => (
        <path key={`${device} ${capability} ${field}`} className={`trace-${place + 1}`} d={linesOf(points)} />
      ))}
      {isCut && <path className="torn" d="M98 0L94 20L99 40L94 60L99 80L95 100" />}
    </svg>
  );
}
