import { join } from "node:path";
import { builtProgram } from "../packages/cli/bin/built.js";
import { PROGRAM_SOURCES, type ProgramName } from "../packages/kit/src/process/programs.ts";

/** The file to start a program from, as people run it: its bundle, or the source if that has changed since. */
export const programOf = (name: ProgramName): string =>
  builtProgram(name) ?? join(import.meta.dirname, "..", PROGRAM_SOURCES[name]);
