import { existsSync } from "node:fs";
import { join } from "node:path";
import { openQuestions } from "../questions.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import type { Running } from "../run.ts";
import { openTerminal, table } from "../terminal.ts";
import { findKicadFolders, type KicadFolder } from "./kicad-folders.ts";
import { type PkgOptions, type Place, placeOf, STATE_FILE } from "./place.ts";

type Host = NodeJS.Process;

/** Where the options and the environment say. */
export function placeFor(host: Host, options: PkgOptions): Place | Refusal {
  if (!options.kicad) return placeOf(host, options);
  if (options.root !== undefined) return refuse("wrong-usage", "Give either --root or --kicad, not both.");
  const found = findKicadFolders(host);
  const { tool } = options;
  const wanted = tool === undefined ? found[0] : found.find(({ version }) => isSame(version, tool));
  if (wanted) return placeIn(host, options, wanted);
  const others = found.map(({ version }) => version).join(", ");
  return refuse(
    "tool-unknown",
    `KiCad${tool === undefined ? "" : ` ${tool}`} has not run on this account.`,
    others === "" ? "Start it once, or name its folder with --root." : `Found: ${others}. Choose one with --tool.`,
  );
}

/** Folders have two numbers; a tool may have one or three. */
const isSame = (version: string, tool: string): boolean =>
  `${tool}.`.startsWith(`${version}.`) || `${version}.`.startsWith(`${tool}.`);

const placeIn = (host: Host, options: PkgOptions, { root, version }: KicadFolder): Place | Refusal =>
  placeOf(host, { ...options, root, brand: options.brand ?? "kicad", tool: options.tool ?? version });

/** The same for installing: as long as nothing says where, and nothing is installed yet, KiCad's folders are offered. */
export async function offerPlace(host: Host, options: PkgOptions, running: Running): Promise<Place | Refusal> {
  const place = placeFor(host, options);
  const isGiven = options.kicad === true || Boolean(options.root ?? host.env.BACKPLANE_PKG_ROOT);
  if (isRefusal(place) || isGiven || running.json || existsSync(join(place.root, STATE_FILE))) return place;
  const found = findKicadFolders(host);
  const [latest] = found;
  if (!latest) return place;
  const err = openTerminal(host.stderr);
  if (!host.stdin.isTTY || !err.isInteractive) {
    const versions = found.map(({ version }) => version).join(", ");
    err.line(err.paint("off", `KiCad is on this machine (${versions}). To install for it, add --kicad.`));
    return place;
  }
  const chosen = await chooseFrom(host, found, place.root, running.signal);
  return chosen ? placeIn(host, options, chosen) : place;
}

/** Undefined: the folder that is not KiCad's. */
async function chooseFrom(
  host: Host,
  found: readonly KicadFolder[],
  own: string,
  signal: AbortSignal,
): Promise<KicadFolder | undefined> {
  const err = openTerminal(host.stderr);
  const rows = [...found.map(({ version, root }) => [`KiCad ${version}`, root]), ["Only for Backplane", own]];
  err.line("Where should packages be installed?");
  for (const line of table(rows.map((row, place) => [`${place + 1}`, ...row]))) err.line(line);
  using questions = openQuestions(host, signal);
  for (;;) {
    const said = await questions.ask(`Choose 1 to ${rows.length} [1]: `);
    if (said === undefined) return undefined;
    const number = said === "" ? 1 : Number(said);
    if (!Number.isInteger(number) || number < 1 || number > rows.length) continue;
    const chosen = found[number - 1];
    if (chosen) err.line(err.paint("off", `Other commands use it with --kicad --tool ${chosen.version}`));
    return chosen;
  }
}
