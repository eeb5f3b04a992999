import { readFile, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { PANELS_LIMITS, type ProjectFile } from "@backplane/contract/panels";
import { refuse } from "../refusal.ts";
import { SHAPES, table } from "../terminal.ts";
import { countOf, plain, sizeOf } from "../text.ts";
import { type PanelFlags, withWorkspace } from "./with-workspace.ts";

type Host = NodeJS.Process;

export const listFiles = (host: Host, options: PanelFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, name, answer, out }) => {
    const list = await workspace.files();
    answer(list, () => {
      if (list.files.length === 0) out.line(`${name} has no files.`);
      const rows = list.files.map(({ path, size, modifiedAt }) => [
        ...[plain(path), sizeOf(size), modifiedAt.slice(0, 16).replace("T", " ")],
      ]);
      for (const line of table(rows)) out.line(line);
      if (list.truncated) out.line(`Only the first ${countOf(list.files.length, "file")} are listed.`);
    });
    return undefined;
  });

const { maxFileBytes } = PANELS_LIMITS;

type PutFlags = PanelFlags & { to?: string; replace?: boolean };

export const putFiles = (host: Host, files: readonly string[], options: PutFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const saved: ProjectFile[] = [];
    for (const file of files) {
      const size = (await stat(file).catch(() => undefined))?.size ?? 0;
      if (size > maxFileBytes)
        return refuse("payload-too-large", `${plain(file)} has more than ${sizeOf(maxFileBytes)}.`);
      const content = await readFile(file).catch(() => undefined);
      if (!content) return refuse("file-unreadable", `${plain(file)} cannot be read.`, "Check its name.");
      const path = [...(options.to === undefined ? [] : [options.to.replace(/\/$/, "")]), basename(file)].join("/");
      saved.push(await workspace.writeFile(path, content, { replace: options.replace === true }));
    }
    answer({ files: saved }, () => {
      for (const { path, size } of saved) out.line(`${out.paint("ok", SHAPES.ok)} ${plain(path)}, ${sizeOf(size)}`);
    });
    return undefined;
  });

type GetFlags = PanelFlags & { out?: string; force?: boolean };

/** To a file of the same name here, or to `--out`; `-` is standard output. */
export const getFile = (host: Host, path: string, options: GetFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, answer, out }) => {
    const bytes = await workspace.readFile(path);
    const file = options.out ?? basename(path);
    if (file === "-") {
      host.stdout.write(bytes);
      return undefined;
    }
    try {
      await writeFile(file, bytes, { flag: options.force === true ? "w" : "wx" });
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code === "EEXIST";
      if (!exists) return refuse("file-unwritable", `${plain(file)} cannot be written.`);
      return refuse(
        "file-unwritable",
        `${plain(file)} exists already.`,
        "Choose another name with --out, or add --force",
      );
    }
    answer({ path, file, size: bytes.length }, () =>
      out.line(`${out.paint("ok", SHAPES.ok)} ${plain(file)}, ${sizeOf(bytes.length)}`),
    );
    return undefined;
  });
