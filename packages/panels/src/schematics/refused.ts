import { FileFault } from "@backplane/kicad/sexpr";
import { Problem } from "@backplane/kit/problems";

export const TOO_MUCH =
  "The schematic takes too long, or too much memory. Split it into smaller sheets, or make fewer edits.";

export const refused = (detail: string): Problem => new Problem("schematic-refused", { detail });

/** A file that is not as KiCad writes it is refused, with the place of the fault. */
export function readOrRefuse<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof FileFault) throw refused(`${fault.message}.`);
    throw fault;
  }
}
