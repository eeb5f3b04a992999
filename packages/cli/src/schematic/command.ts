import { SCHEMATIC_PICTURE } from "@backplane/contract/panels";
import type { Command } from "commander";
import { action } from "../command.ts";

const HELP = `
A <file> is the root sheet of a design: a .kicad_sch file of KiCad 6 or later. Its sheets are read from the same folder and
below it. These commands need no Backplane and no KiCad, and change nothing.`;

/** `backplane schematic`: looks into KiCad schematics on this machine. */
export function addSchematicCommand(program: Command): void {
  const schematic = program
    .command("schematic")
    .description(
      "KiCad schematics on this machine: check them, list symbols and nets, draw them, write a netlist or a bill of materials",
    )
    .addHelpText("after", HELP);
  const add = (name: string, description: string) =>
    schematic.command(`${name} <file>`).description(description).option("--json", "print JSON");

  add("check", "check a design by KiCad's default electrical rules; exit code 1 if there is an error")
    .option("--strict", "exit code 1 for warnings, too")
    .action(action(async () => (await import("./schematic.ts")).check));
  add("symbols", "list the parts of a design").action(action(async () => (await import("./schematic.ts")).symbols));
  add("nets", "list the nets of a design, with their pins").action(
    action(async () => (await import("./schematic.ts")).nets),
  );
  const toFile = (name: string, description: string) =>
    schematic
      .command(`${name} <file>`)
      .description(description)
      .option("--out <file>", "write it there (default: standard output)")
      .option("--force", "replace a file that exists");
  toFile("render", "draw a sheet: SVG, or PNG when the name after --out ends with .png")
    .option("--sheet <name>", "the names of the sheets down to it, such as /Supply/ (default: /)")
    .option("--pixels <number>", `of the longer side of a PNG (default: ${SCHEMATIC_PICTURE.defaultPixels})`)
    .action(action(async () => (await import("./schematic.ts")).render));
  toFile("netlist", "write the netlist of a design, for a board editor").action(
    action(async () => (await import("./schematic.ts")).netlist),
  );
  toFile("bom", "write the bill of materials as CSV")
    .option("--field <name...>", "also these fields of the symbols, such as MPN")
    .action(action(async () => (await import("./schematic.ts")).bom));
}
