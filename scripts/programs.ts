import { join } from "node:path";
import { builtProgram } from "../packages/cli/bin/built.js";
import { PROGRAM_SOURCES, type ProgramName } from "../packages/kit/src/process/programs.ts";

/** It takes a look at every source, and sources do not change while tests run. */
const found = new Map<ProgramName, string>();

/** The file to start a program from, as people run it: its bundle, or the source if that has changed since. */
export function programOf(name: ProgramName): string {
  const program = found.get(name) ?? builtProgram(name) ?? join(import.meta.dirname, "..", PROGRAM_SOURCES[name]);
  found.set(name, program);
  return program;
}
