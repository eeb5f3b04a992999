import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";

/** Where one version of KiCad keeps its packages. The folder may not exist yet. */
export type KicadFolder = { version: string; root: string };

type Host = Pick<NodeJS.Process, "env" | "platform">;
/** The parts of the machine that are used, other than the process. */
type Machine = { home: string; list(folder: string): readonly string[] };

const thisMachine = (): Machine => ({
  home: homedir(),
  list(folder) {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  },
});

const VERSION = /^[0-9]{1,2}[.][0-9]{1,2}$/;

/** Every version of KiCad that has run on this account, latest first: it then has settings, content or both. */
export function findKicadFolders(host: Host, machine: Machine = thisMachine()): KicadFolder[] {
  const { join } = host.platform === "win32" ? win32 : posix;
  const versionsIn = (folder: string) => machine.list(folder).filter((name) => VERSION.test(name));
  const found = new Map<string, KicadFolder>();
  for (const { content, settings } of kicadHomes(host, machine.home)) {
    for (const version of [...versionsIn(content), ...versionsIn(settings)]) {
      const named = host.env[`KICAD${version.split(".")[0]}_3RD_PARTY`];
      const root = named || join(content, version, "3rdparty");
      found.set(root, { version, root });
    }
  }
  return [...found.values()].sort((a, b) => numberOf(b) - numberOf(a));
}

function numberOf({ version }: KicadFolder): number {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major * 100 + minor;
}

/** Folders that have one folder per version of KiCad. */
function kicadHomes({ env, platform }: Host, home: string): { content: string; settings: string }[] {
  const { join } = platform === "win32" ? win32 : posix;
  const own = { content: env.KICAD_DOCUMENTS_HOME, settings: env.KICAD_CONFIG_HOME };
  const at = (content: string, settings: string) => ({
    content: own.content || content,
    settings: own.settings || settings,
  });
  if (platform === "win32") {
    const settings = join(env.APPDATA || join(home, "AppData", "Roaming"), "kicad");
    const documents = [join(home, "Documents"), ...(env.OneDrive ? [join(env.OneDrive, "Documents")] : [])];
    // Documents are in only one of these; the settings do not say in which.
    return documents.map((folder, place) => at(join(folder, "KiCad"), place === 0 ? settings : ""));
  }
  if (platform === "darwin") {
    return [at(join(home, "Documents", "KiCad"), join(home, "Library", "Preferences", "kicad"))];
  }
  const sandbox = join(home, ".var", "app", "org.kicad.KiCad");
  return [
    at(
      join(env.XDG_DATA_HOME || join(home, ".local", "share"), "kicad"),
      join(env.XDG_CONFIG_HOME || join(home, ".config"), "kicad"),
    ),
    { content: join(sandbox, "data", "kicad"), settings: join(sandbox, "config", "kicad") },
  ];
}
