import type { SheetInstance } from "@backplane/kicad/schematic";
import { useSyncExternalStore } from "react";
import { MenuButton } from "../../parts/menu-button.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { nameOf } from "../project-files/paths.ts";
import type { Session } from "./session.ts";

const loadExport = () => import("@backplane/kicad/export");
const loadDrawn = () => import("./drawn-sheets.ts");

/** What is made of a design: numbers, lists, drawings. */
export function MoreMenu({ session }: { session: Session }) {
  const { design, sheet } = useSyncExternalStore(session.subscribe, session.state);
  if (!design || !sheet) return null;
  const print = (sheets: readonly SheetInstance[]) =>
    void loadDrawn().then(({ printSheets }) => printSheets(design, sheets));
  const name = nameOf(sheet.file).replace(/\.kicad_sch$/i, "");
  return (
    <MenuButton
      icon="more"
      label="More"
      menuLabel="Schematic"
      align="end"
      items={[
        { label: "Number the symbols", onSelect: () => session.annotate() },
        {
          ...{ label: "Save the parts list (CSV)", icon: "download", startsGroup: true },
          onSelect: () => void loadExport().then(({ writeBom }) => saveFile(`${design.project}.csv`, writeBom(design))),
        },
        {
          ...{ label: "Save the netlist", icon: "download" },
          onSelect: () =>
            void loadExport().then(({ writeNetlist }) =>
              saveFile(`${design.project}.net`, writeNetlist(design, session.nets())),
            ),
        },
        {
          ...{ label: "Save this sheet as SVG", icon: "download", startsGroup: true },
          onSelect: () => void loadDrawn().then(({ svgOf }) => saveFile(`${name}.svg`, svgOf(design, sheet))),
        },
        { label: "Print this sheet or save it as PDF", onSelect: () => print([sheet]) },
        ...(design.sheets.length > 1
          ? [{ label: "Print all sheets or save them as PDF", onSelect: () => print(design.sheets) }]
          : []),
      ]}
    />
  );
}
