import { type DragEvent, type ReactNode, useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { FaultLine } from "../../parts/field.tsx";
import { carriesFiles } from "../../parts/file-drag.ts";
import { Icon } from "../../parts/icon.tsx";
import { progressWords } from "./publish-words.ts";

type Props = {
  /** Below the invitation to choose a file. */
  hint: ReactNode;
  word: string;
  fault?: string | undefined;
  onFiles: (files: readonly File[]) => void;
};

/** Without this, a file dropped beside the box would replace the page. */
function useNoStrayDrop(): void {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent) => {
      if (!carriesFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
    };
    window.addEventListener("dragover", refuse);
    window.addEventListener("drop", refuse);
    return () => {
      window.removeEventListener("dragover", refuse);
      window.removeEventListener("drop", refuse);
    };
  }, []);
}

/** Takes a file that is dropped, or chosen by click, Enter or Space. */
export function FileDrop({ hint, word, fault, onFiles }: Props) {
  const [over, setOver] = useState(false);
  useNoStrayDrop();

  const drag = (event: DragEvent) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };

  return (
    <div className="card-body drop-part">
      <label
        className={over ? "drop over" : "drop"}
        onDragEnter={drag}
        onDragOver={drag}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          className="sr"
          type="file"
          name="archive"
          accept=".zip,application/zip"
          onChange={({ target }) => {
            const files = [...(target.files ?? [])];
            // So that the same file can be chosen again after it was fixed.
            target.value = "";
            onFiles(files);
          }}
        />
        <Icon name="upload" />
        <strong>{word}</strong>
        <span className="small muted">{hint}</span>
      </label>
      {fault !== undefined && <FaultLine>{fault}</FaultLine>}
    </div>
  );
}

type SendingProps = { name: string; sent: number; total: number; then: string; onCancel: () => void };

const PINS = Array.from({ length: 40 }, (_, place) => place);

/** The progress of an upload. Once everything is sent, it says what the server does. */
export function Sending({ name, sent, total, then, onCancel }: SendingProps) {
  const part = total === 0 ? 1 : sent / total;
  const words = progressWords(sent, total, then);
  return (
    <div className="card-body sending">
      <div className="spread">
        <div className="sending-what">
          <code>{name}</code>
          <p className="dense muted">{words}</p>
        </div>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
      <div
        className="pins wide"
        role="progressbar"
        aria-label={`Upload of ${name}`}
        aria-valuenow={Math.round(part * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={words}
      >
        {PINS.map((pin) => (
          <i key={pin} className={pin < Math.floor(part * PINS.length) ? "on" : undefined} />
        ))}
      </div>
    </div>
  );
}
