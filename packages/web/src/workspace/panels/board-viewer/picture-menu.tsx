import { useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import type { PanelContext } from "../../panel.ts";
import { MenuButton } from "../../parts/menu-button.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { writeFile } from "../project-files/file-calls.ts";
import type { BoardStage } from "./stage/stage.ts";

type Props = { context: PanelContext; path: string; stage: { current: BoardStage | undefined } };

/** Names that are tried for a picture, before somebody has to tidy up. */
const MAX_TRIES = 100;

/** Keeps what is seen as a PNG. */
export function PictureMenu({ context, path, stage }: Props) {
  const [said, setSaid] = useState("");
  const stem = path.replace(/\.kicad_pcb$/i, "");

  const download = async () => {
    const blob = await stage.current?.picture();
    if (blob) saveFile(`${stem.slice(stem.lastIndexOf("/") + 1)}.png`, blob);
  };
  const intoProject = async () => {
    const blob = await stage.current?.picture();
    if (!blob) return setSaid("There is no picture yet.");
    const bytes = await blob.bytes();
    for (let number = 1; number <= MAX_TRIES; number += 1) {
      const name = number === 1 ? `${stem}.png` : `${stem}-${number}.png`;
      const written = await writeFile(context.workspace, name, bytes, "absent");
      if (written.kind === "changed") continue;
      return setSaid(written.kind === "fault" ? faultWords(written.fault) : `Saved as ${name}`);
    }
    setSaid(`There are ${MAX_TRIES} pictures of this board already. Delete some of them first.`);
  };

  return (
    <>
      <span className="board-said" role="status">
        {said}
      </span>
      <MenuButton
        icon="more"
        label="More"
        menuLabel="Picture"
        align="end"
        items={[
          { label: "Download a picture (PNG)", icon: "download", onSelect: () => void download() },
          { label: "Save a picture into the project", icon: "upload", onSelect: () => void intoProject() },
        ]}
      />
    </>
  );
}
