import type { PushAccess } from "@backplane/contract/devices";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Note } from "../../parts/note.tsx";

type Props = { name: string; push: PushAccess; onShow(): void };

/** Somebody may look over the shoulder. */
const HIDDEN = "•".repeat(16);

/** Where and with which key a program pushes its pictures. The key is here once. */
export function PushCard({ name, push: { address, key }, onShow }: Props) {
  return (
    <div className="add-stream">
      <Note tone="ok" role="status">
        Pictures can be pushed to <b>{name}</b>. Copy the key now: it is not kept, and not shown again.
      </Note>
      <div className="copy">
        <code>to {address}</code>
        <CopyButton text={address} />
      </div>
      <div className="copy">
        <code>key {HIDDEN}</code>
        <CopyButton text={key} />
      </div>
      <p className="hint">In OBS: Settings, Stream, service WHIP. Choose H.264 without B-frames there.</p>
      <div className="row">
        <Button look="primary" onClick={onShow}>
          Show it
        </Button>
      </div>
    </div>
  );
}
