import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../harness/session.ts";

/** Where Debian's kicad-demos puts its projects. */
const DEMOS = "/usr/share/kicad/demos";

export const readDemo = (path: string): string => readFileSync(join(DEMOS, path), "utf8");

/** Those that are on this machine; says so when some are not. */
export function demosHere(session: Session, paths: readonly string[]): string[] {
  const here = paths.filter((path) => existsSync(join(DEMOS, path)));
  if (here.length < paths.length) session.say(["Some files of Debian's package kicad-demos are not here."]);
  return here;
}
