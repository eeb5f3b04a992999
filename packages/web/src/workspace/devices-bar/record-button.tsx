import type { Recording } from "@backplane/contract/devices";
import { useCallback, useRef, useState } from "react";
import { call } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import { useWork } from "../../calls/use-action.ts";
import { Icon } from "../../parts/icon.tsx";
import { useNow } from "../../parts/use-now.ts";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import { useDevicesStatus } from "../device-panel/use-devices.ts";
import type { Devices } from "../devices/devices.ts";
import { Menu } from "../parts/menu.tsx";
import { lengthWords, sizeWords } from "./recording-words.ts";
import { useBarKeys } from "./use-bar-keys.ts";

type Props = { workspace: WorkspaceName; devices: Devices; say: { fault(words: string): void } };

/** Starts a recording of all devices, and ends it. */
export function RecordButton({ workspace, devices, say }: Props) {
  const { recording } = useDevicesStatus(devices);
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const { busy, run } = useWork();
  const path = workspaceRoute(workspace, "/recordings");
  const ask = (method: "POST" | "PATCH", rest: string, body: object) =>
    run(async () => {
      const answer = await call<Recording>({ method, path: path + rest, body });
      if (!answer.ok) say.fault(faultWords(answer.fault));
    });
  const start = () => void ask("POST", "", {});
  const keep = () => void ask("POST", "", { keep: true });
  const end = ({ id }: Recording) => void ask("PATCH", `/${id}`, { state: "stopped" });
  useBarKeys({
    r({ shiftKey, repeat }) {
      if (repeat) return;
      if (shiftKey) keep();
      else if (recording) end(recording);
      else start();
    },
  });
  if (recording) {
    return (
      <span className="record on">
        <Running recording={recording} />
        <button
          type="button"
          aria-label="Stop recording"
          aria-disabled={busy || undefined}
          title="Stop recording (R)"
          onClick={() => end(recording)}
        >
          <i className="record-end" aria-hidden="true" />
        </button>
      </span>
    );
  }
  const items = [
    { label: "Keep the last 10 minutes", hint: "Shift R", onSelect: keep },
    { label: "Record from now", hint: "R", onSelect: start },
    { label: "Both: the last 10 minutes, then go on", onSelect: () => void ask("POST", "", { lastMs: 600_000 }) },
    { label: "Recordings of this workspace", href: recordingsAddress(workspace), startsGroup: true },
  ];
  return (
    <span className="record">
      <button type="button" aria-label="Record" aria-disabled={busy || undefined} title="Record (R)" onClick={start}>
        <i className="record-dot" aria-hidden="true" />
        <span className="record-word">Record</span>
      </button>
      <button
        ref={anchor}
        type="button"
        aria-label="What to record"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="down" />
      </button>
      {isOpen && anchor.current && (
        <Menu label="Record" anchor={anchor.current} align="end" items={items} onClose={close} />
      )}
    </span>
  );
}

const recordingsAddress = ({ owner, repo }: WorkspaceName): string =>
  `/w/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/recordings`;

function Running({ recording: { start, bytes } }: { recording: Recording }) {
  const now = useNow(1_000);
  return (
    <span className="record-time" role="timer" aria-label="Recording">
      <i className="record-dot" aria-hidden="true" />
      {lengthWords(now.getTime() - Date.parse(start))} <small>{sizeWords(bytes)}</small>
    </span>
  );
}
