import { openAsBlob } from "node:fs";
import {
  checkPackage,
  publishPackage,
  RegistryError,
  type SessionOptions,
  type StatusOptions,
  setPackageStatus,
} from "@backplane/sdk";
import { badInput, CONNECT_EXIT, type Refusal } from "../connect/refusal.ts";
import type { PlaceOptions } from "../login/options.ts";
import { withSession } from "../login/with-session.ts";
import { openTerminal, SHAPES } from "../terminal.ts";
import { summaryOf, tellNotes } from "./notes.ts";
import { showProgress } from "./progress.ts";
import { plain, sizeOf } from "./words.ts";

type Host = NodeJS.Process;
type Session = SessionOptions & { baseUrl: string };

export type PublishFlags = PlaceOptions & { owner?: string; check?: boolean };

export const publish = (host: Host, file: string, options: PublishFlags): Promise<number> =>
  withSession(host, options, (session) => telling(session.baseUrl, () => upload(host, file, options, session)));

async function upload(
  host: Host,
  file: string,
  options: PublishFlags,
  session: Session,
): Promise<Refusal | number | undefined> {
  const { json = false, owner, check = false } = options;
  let archive: Blob;
  try {
    archive = await openAsBlob(file, { type: "application/zip" });
  } catch (error) {
    return badInput("bad-file", `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).\nCheck the path.`);
  }
  const out = openTerminal(host.stdout);
  using shown = showProgress(host.stderr, { isDumb: host.env.TERM === "dumb", isQuiet: json });
  shown.says(`Sending ${file}, ${sizeOf(archive.size)}`);
  if (check) {
    const checked = await checkPackage({ ...session, archive, owner });
    shown[Symbol.dispose]();
    if (json) out.line(JSON.stringify(checked));
    else {
      tellNotes(out, file, checked.notes);
      out.line(
        `${file}: ${summaryOf(checked.notes)}. ${checked.publishable ? "It can be published." : "It would be refused."}`,
      );
    }
    return checked.publishable ? CONNECT_EXIT.ok : CONNECT_EXIT.failed;
  }
  const published = await publishPackage({ ...session, archive, owner });
  shown[Symbol.dispose]();
  if (json) out.line(JSON.stringify(published));
  else {
    tellNotes(out, file, published.warnings);
    const { identifier, version, status } = published;
    out.line(`${out.paint("ok", SHAPES.ok)} ${plain(identifier)} ${version} is published as ${status}.`);
    out.line(`  ${session.baseUrl}/packages/${identifier}`);
    out.line(`  Install it with: backplane pkg install ${identifier}`);
  }
  return undefined;
}

export type StatusFlags = PlaceOptions & { status?: StatusOptions["status"] };

/** `deprecate` is the change that people look for; the others go the same way. */
export const setStatus = (host: Host, spec: string, options: StatusFlags): Promise<number> =>
  withSession(host, options, (session) =>
    telling(session.baseUrl, async () => {
      const [, identifier, version] = /^([^@]+)@([^@]+)$/.exec(spec) ?? [];
      if (identifier === undefined || version === undefined) {
        return badInput(
          "bad-spec",
          `"${spec}" names no version.\nUse identifier@version, such as com.example.tool@1.2.0`,
        );
      }
      const { status = "deprecated", json = false } = options;
      await setPackageStatus({ ...session, identifier, version, status });
      const out = openTerminal(host.stdout);
      if (json) out.line(JSON.stringify({ identifier, version, status }));
      else out.line(`${out.paint("ok", SHAPES.ok)} ${identifier} ${version} is ${status} now.`);
      return undefined;
    }),
  );

/** What the registry refuses, with every fault it names. What signing in refuses is told by who calls this. */
async function telling(
  baseUrl: string,
  work: () => Promise<Refusal | number | undefined>,
): Promise<Refusal | number | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const { code, problemCode = code, message } = error;
    const faults = error.faults.map(({ pointer, message: fault }) => ({
      pointer: plain(pointer),
      message: plain(fault),
    }));
    const next = code === "not-signed-in" ? `\nRun backplane login --url ${baseUrl}` : "";
    return { code: problemCode, message: `${plain(message)}${next}`, exit: CONNECT_EXIT.failed, faults };
  }
}
