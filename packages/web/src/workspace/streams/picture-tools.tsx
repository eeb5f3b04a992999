import type { RefObject } from "react";
import { Button } from "../../parts/button.tsx";
import { ToolButton } from "../parts/tool-button.tsx";

type ToolsProps = {
  busy: boolean;
  isPlaying: boolean;
  view: RefObject<HTMLElement | null>;
  take: () => Promise<unknown>;
};

/** What can be done with the picture. */
export function PictureTools({ busy, isPlaying, view, take }: ToolsProps) {
  return (
    <>
      <Button size="small" busy={busy} disabled={!isPlaying} onClick={() => void take()}>
        Snapshot
      </Button>
      <ToolButton
        icon="expand"
        label="Full screen"
        onClick={() => void view.current?.requestFullscreen().catch(() => {})}
      />
    </>
  );
}
