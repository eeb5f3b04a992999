import { openWorkspace } from "@backplane/sdk";
import { refuse } from "../refusal.ts";
import { SHAPES } from "../terminal.ts";
import { countOf } from "../text.ts";
import { type PanelFlags, withWorkspace } from "./with-workspace.ts";

type Host = NodeJS.Process;

export const rename = (host: Host, named: string, name: string, options: PanelFlags): Promise<number> =>
  withWorkspace(host, { ...options, workspace: named }, async ({ workspace, session, answer, out }) => {
    const renamed = await workspace.rename(name);
    answer(renamed, () => {
      out.line(`${out.paint("ok", SHAPES.ok)} ${named} is ${renamed.owner}/${renamed.repo} now.`);
      out.line(`  ${openWorkspace({ ...session, ...renamed }).page}`);
    });
    return undefined;
  });

/** Only with `--yes`: it cannot be undone. */
export const remove = (host: Host, named: string, options: PanelFlags & { yes?: boolean }): Promise<number> =>
  withWorkspace(host, { ...options, workspace: named }, async ({ workspace, answer, out }) => {
    const [{ files }, tabs] = await Promise.all([workspace.files(), workspace.tabs()]);
    const what = `${countOf(tabs.length, "panel")} and ${countOf(files.length, "file")}`;
    if (options.yes !== true) {
      return refuse("wrong-usage", `${named} has ${what}, which cannot be restored.`, "To delete it, add --yes");
    }
    await workspace.remove({ files: true });
    answer({ workspace: named, panels: tabs.length, files: files.length }, () =>
      out.line(`${out.paint("ok", SHAPES.ok)} Deleted ${named}, with ${what}.`),
    );
    return undefined;
  });
