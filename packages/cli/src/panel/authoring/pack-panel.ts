import { writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { exitCodeOf } from "@backplane/contract/problems";
import { publishPackage } from "@backplane/sdk";
import { type ServerOptions, withSession } from "../../login/session.ts";
import { printNotes } from "../../pkg/notes.ts";
import { isRefusal } from "../../refusal.ts";
import { runCommand } from "../../run.ts";
import { SHAPES } from "../../terminal.ts";
import { plain, sizeOf } from "../../text.ts";
import { checkPanel } from "./check-panel.ts";

type Host = NodeJS.Process;
type PackFlags = { out?: string; json?: boolean };

export const packPanel = (host: Host, folder = ".", options: PackFlags = {}): Promise<number> =>
  runCommand(host, options, async ({ out, answer }) => {
    await using checked = await checkPanel(resolve(host.cwd(), folder));
    if (isRefusal(checked)) return checked;
    const { panel, notes, archive } = checked;
    if (!panel) {
      answer({ notes }, () => printNotes(out, folder, notes));
      return exitCodeOf("archive-refused");
    }
    const file = options.out ?? `${basename(resolve(host.cwd(), folder))}.zip`;
    await writeFile(resolve(host.cwd(), file), Buffer.from(await archive.arrayBuffer()));
    const { identifier, version, sha256 } = panel;
    answer({ file, identifier, version, sha256, size: archive.size, wants: panel.panel.wants, notes }, () => {
      printNotes(out, folder, notes);
      out.line(
        `${out.paint("ok", SHAPES.ok)} ${file}: ${plain(panel.panel.title)} ${version}, ${sizeOf(archive.size)}.`,
      );
      out.line(`  sha256 ${sha256}`);
      out.hint(`  Publish it with: backplane panel publish ${folder}`);
    });
    return undefined;
  });

type PublishFlags = ServerOptions & { owner?: string; private?: boolean };

export const publishPanel = (host: Host, folder = ".", options: PublishFlags = {}): Promise<number> =>
  withSession(host, options, async (session, { out, answer }) => {
    await using checked = await checkPanel(resolve(host.cwd(), folder));
    if (isRefusal(checked)) return checked;
    const { panel, notes, archive } = checked;
    if (!panel) {
      answer({ notes }, () => printNotes(out, folder, notes));
      return exitCodeOf("archive-refused");
    }
    const { owner, private: isPrivate = false } = options;
    const published = await publishPackage({ ...session, archive, owner, private: isPrivate });
    answer(published, () => {
      printNotes(out, folder, notes);
      const title = plain(panel.panel.title);
      out.line(`${out.paint("ok", SHAPES.ok)} ${title} ${plain(published.version)} is published.`);
      out.line(`  ${session.baseUrl}/packages/${plain(published.identifier)}`);
      out.line(
        `  ${published.private ? "Its owner adds" : "People add"} it to a workspace with Add panel, under Get more.`,
      );
    });
    return undefined;
  });
