import { type DragEvent, type ReactNode, useState } from "react";
import { useWork } from "../../../calls/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { carriesFiles } from "../../../parts/file-drag.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Note } from "../../../parts/note.tsx";
import type { WorkspaceName } from "../../calls.ts";
import { existingWords, type Uploaded, uploadFiles } from "./upload.ts";

const NOTHING: Uploaded = { saved: [], existing: [], faults: [] };

/** Uploads into the project, and remembers what was not saved. */
export function useUpload(project: WorkspaceName, onSaved: (paths: readonly string[]) => void) {
  const { busy, run } = useWork();
  const [left, setLeft] = useState(NOTHING);
  const upload = (files: readonly File[], options: { replace?: boolean } = {}) =>
    run(async () => {
      const uploaded = await uploadFiles(project, files, options);
      setLeft(uploaded);
      if (uploaded.saved.length > 0) onSaved(uploaded.saved);
    });
  return { busy, left, upload };
}

export type Upload = ReturnType<typeof useUpload>;

/** A button that chooses files of this device. */
export function UploadButton({ upload }: { upload: Upload }) {
  return (
    <label className="btn quiet upload" aria-busy={upload.busy || undefined}>
      <input
        className="sr"
        type="file"
        multiple
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // So that the same file can be chosen again.
          target.value = "";
          void upload.upload(files);
        }}
      />
      <Icon name={upload.busy ? "spinner" : "upload"} />
      <span>Upload</span>
    </label>
  );
}

type AreaProps = { className: string; upload: Upload; children: ReactNode };

/** Takes files that are dropped on it. */
export function UploadArea({ className, upload, children }: AreaProps) {
  const [isOver, setOver] = useState(false);
  const drag = (event: DragEvent) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = "copy";
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    void upload.upload([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same for the keyboard
    <div
      className={isOver ? `${className} over` : className}
      onDragEnter={drag}
      onDragOver={drag}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  );
}

/** What was not saved, and how to replace what exists. */
export function UploadNotes({ upload: { left, upload } }: { upload: Upload }) {
  if (left.existing.length === 0 && left.faults.length === 0) return null;
  return (
    <div className="file-picker-note">
      <Note tone="warn" role="alert">
        {left.faults.join(" ")}{" "}
        {left.existing.length > 0 && (
          <>
            {existingWords(left.existing)}{" "}
            <Button size="small" onClick={() => void upload(left.existing, { replace: true })}>
              Replace
            </Button>
          </>
        )}
      </Note>
    </div>
  );
}
