import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { printNotes } from "../../pkg/notes.ts";
import { isRefusal, refuse } from "../../refusal.ts";
import { runCommand } from "../../run.ts";
import { SHAPES } from "../../terminal.ts";
import { checkPanel } from "./check-panel.ts";
import { templateFiles } from "./template.ts";

type NewFlags = { identifier?: string; title?: string; author?: string; contact?: string; json?: boolean };

/** Writes a panel that works, to be changed. Nothing that is there is replaced. */
export function newPanel(host: NodeJS.Process, folder: string, options: NewFlags = {}): Promise<number> {
  return runCommand(host, options, async ({ out, answer }) => {
    const target = resolve(host.cwd(), folder);
    if (existsSync(target) && (await readdir(target)).length > 0)
      return refuse("file-exists", `${folder} is not empty, and is left as it is.`, "Choose another folder.");
    const name = nameOf(options.identifier ?? basename(target));
    const files = templateFiles({
      name,
      identifier: options.identifier ?? `com.example.${name}`,
      title: options.title ?? titleOf(name),
      author: options.author ?? userInfo().username,
      contact: options.contact ?? "https://example.com/",
    });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(target, path)), { recursive: true });
      await writeFile(join(target, path), text, { flag: "wx" });
    }
    await using checked = await checkPanel(target);
    if (isRefusal(checked)) return checked;
    answer({ folder, files: Object.keys(files), notes: checked.notes }, () => {
      printNotes(out, folder, checked.notes);
      out.line(`${out.paint("ok", SHAPES.ok)} ${folder} has a panel: ${join(folder, "plugins/panel/index.js")}`);
      out.hint(`  Show it in a workspace while you change it: backplane panel dev ${folder}`);
    });
    return undefined;
  });
}

/** "Heat Map" and com.example.heat_map → heat-map */
function nameOf(given: string): string {
  const last = given.slice(given.lastIndexOf(".") + 1).toLowerCase();
  const words = last.match(/[a-z0-9]+/g) ?? [];
  const name = words.join("-").replace(/^[^a-z]+/, "");
  return name.slice(0, 60) || "panel";
}

function titleOf(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
