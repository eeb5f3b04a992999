import { openAsBlob } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { exitCodeOf } from "@backplane/contract/problems";
import { packFolder } from "@backplane/registry/authoring";
import {
  checkPackage,
  publishPackage,
  type StatusOptions,
  setPackageStatus,
  setPackageVisibility,
  unpublishPackage,
} from "@backplane/sdk";
import { type ServerOptions, type Session, withSession } from "../login/session.ts";
import { showProgress } from "../progress.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import type { Outcome } from "../run.ts";
import { openTerminal, SHAPES } from "../terminal.ts";
import { plain, sizeOf } from "../text.ts";
import { printNotes, summaryOf } from "./notes.ts";

type Host = NodeJS.Process;

export type PublishFlags = ServerOptions & { owner?: string; check?: boolean; private?: boolean };

export const publish = (host: Host, source = ".", options: PublishFlags = {}): Promise<number> =>
  withSession(host, options, async (session) => {
    await using given = await openSource(source);
    return isRefusal(given) ? given : await upload(host, given, options, session);
  });

async function upload(
  host: Host,
  { file, archive }: Source,
  { json = false, owner, check = false, private: isPrivate = false }: PublishFlags,
  session: Session,
): Promise<Outcome> {
  const out = openTerminal(host.stdout, host.env);
  using shown = showProgress(host.stderr, { isDumb: host.env.TERM === "dumb", isQuiet: json });
  shown.says(`Sending ${file}, ${sizeOf(archive.size)}`);
  if (check) {
    const checked = await checkPackage({ ...session, archive, owner });
    shown[Symbol.dispose]();
    if (json) out.line(JSON.stringify(checked));
    else {
      printNotes(out, file, checked.notes);
      out.line(
        `${file}: ${summaryOf(checked.notes)}. ${checked.publishable ? "It can be published." : "It would be refused."}`,
      );
    }
    return checked.publishable ? undefined : exitCodeOf("archive-refused");
  }
  const published = await publishPackage({ ...session, archive, owner, private: isPrivate });
  shown[Symbol.dispose]();
  if (json) out.line(JSON.stringify(published));
  else {
    printNotes(out, file, published.warnings);
    const [identifier, version] = [plain(published.identifier), plain(published.version)];
    out.line(`${out.paint("ok", SHAPES.ok)} ${identifier} ${version} is published as ${plain(published.status)}.`);
    out.line(`  ${session.baseUrl}/packages/${identifier}`);
    if (published.private) out.line("  Only its owner sees it. Make a secret address for KiCad on its page.");
    else out.hint(`  Install it with: backplane pkg install ${identifier}`);
  }
  return undefined;
}

export type StatusFlags = ServerOptions & { status?: StatusOptions["status"] };

/** Most people look for `deprecate`; other statuses are set in the same way. */
export const setStatus = (host: Host, spec: string, options: StatusFlags): Promise<number> =>
  withSession(host, options, async (session, { answer, out }) => {
    const named = readVersionSpec(spec);
    if (isRefusal(named)) return named;
    const { status = "deprecated" } = options;
    await setPackageStatus({ ...session, ...named, status });
    answer({ ...named, status }, () =>
      out.line(`${out.paint("ok", SHAPES.ok)} ${named.identifier} ${named.version} is now ${status}.`),
    );
    return undefined;
  });

export const unpublish = (host: Host, spec: string, options: ServerOptions & { reason: string }): Promise<number> =>
  withSession(host, options, async (session, { answer, out }) => {
    const named = readVersionSpec(spec);
    if (isRefusal(named)) return named;
    const { reason } = options;
    await unpublishPackage({ ...session, ...named, reason });
    answer({ ...named, reason }, () => {
      out.line(
        `${out.paint("ok", SHAPES.ok)} ${named.identifier} ${named.version} is unpublished: its archive is deleted.`,
      );
      out.line("  Copies that others have stay. If it contained a secret, replace the secret.");
    });
    return undefined;
  });

export const setVisibility = (
  host: Host,
  identifier: string,
  visibility: "private" | "public",
  options: ServerOptions,
): Promise<number> =>
  withSession(host, options, async (session, { answer, out }) => {
    await setPackageVisibility({ ...session, identifier, private: visibility === "private" });
    answer({ identifier, visibility }, () => {
      out.line(`${out.paint("ok", SHAPES.ok)} ${identifier} is now ${visibility}.`);
      if (visibility === "private")
        out.line(`  Make a secret address for KiCad at ${session.baseUrl}/packages/${identifier}`);
    });
    return undefined;
  });

function readVersionSpec(spec: string): { identifier: string; version: string } | Refusal {
  const [, identifier, version] = /^([^@]+)@([^@]+)$/.exec(spec) ?? [];
  if (identifier !== undefined && version !== undefined) return { identifier, version };
  return refuse(
    "bad-spec",
    `"${spec}" does not name a version.`,
    "Use identifier@version, such as com.example.tool@1.2.0",
  );
}

export type Source = AsyncDisposable & {
  /** Its name, to show. */
  file: string;
  archive: Blob;
};

/** Opens an archive. A folder is packed into a temporary archive first. */
export async function openSource(given: string): Promise<Source | (Refusal & AsyncDisposable)> {
  await using stack = new AsyncDisposableStack();
  let file = given;
  try {
    if ((await stat(given)).isDirectory()) {
      const scratch = await mkdtemp(join(tmpdir(), "backplane-publish-"));
      stack.defer(() => rm(scratch, { recursive: true, force: true }));
      file = join(scratch, `${basename(resolve(given))}.zip`);
      const packed = await packFolder(given, file);
      if ("refusal" in packed) {
        const { reason, message, path } = packed.refusal;
        const where = path === undefined ? "" : `${path}: `;
        const next = reason === "metadata-missing" ? ["Write it with: backplane pkg init"] : [];
        return closed(refuse("archive-refused", plain(`${where}${message}`), ...next));
      }
    }
    const archive = await openAsBlob(file, { type: "application/zip" });
    const kept = stack.move();
    return { file: basename(file), archive, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return closed(refuse("bad-file", `${given} cannot be read (${code}).`, "Check the path."));
  }
}

const closed = (refusal: Refusal): Refusal & AsyncDisposable => ({ ...refusal, async [Symbol.asyncDispose]() {} });
