import type { Command } from "commander";
import { action } from "../command.ts";

const HELP = `
A <file> is a .kicad_pcb file of KiCad 5 or later. These commands need no Backplane and no KiCad, and change nothing.`;

/** `backplane board`: looks into KiCad boards on this machine. */
export function addBoardCommand(program: Command): void {
  const board = program
    .command("board")
    .description("KiCad boards on this machine: their size and layers, parts and nets")
    .addHelpText("after", HELP);
  const add = (name: string, description: string) =>
    board.command(`${name} <file>`).description(description).option("--json", "print JSON");
  add("info", "size, layers, and how much there is on a board").action(
    action(async () => (await import("./board.ts")).info),
  );
  add("parts", "list the parts of a board, with their places").action(
    action(async () => (await import("./board.ts")).parts),
  );
  add("nets", "list the nets of a board, with their pads and lengths").action(
    action(async () => (await import("./board.ts")).nets),
  );
}
