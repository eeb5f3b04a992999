import {
  checkPackage,
  publishPackage,
  type SessionOptions,
  type StatusOptions,
  setPackageStatus,
} from "@backplane/sdk";
import { tellingCalls } from "../calls/telling-calls.ts";
import { badInput, isRefusal, type Refusal } from "../connect/refusal.ts";
import type { PlaceOptions } from "../login/options.ts";
import { withSession } from "../login/with-session.ts";
import { openTerminal, SHAPES } from "../terminal.ts";
import { summaryOf, tellNotes } from "./notes.ts";
import { PKG_EXITS } from "./outcomes.ts";
import { showProgress } from "./progress.ts";
import { openSource, type Source } from "./publish-source.ts";
import { plain, sizeOf } from "./words.ts";

type Host = NodeJS.Process;
type Session = SessionOptions & { baseUrl: string };

export type PublishFlags = PlaceOptions & { owner?: string; check?: boolean };

export const publish = (host: Host, source: string, options: PublishFlags): Promise<number> =>
  withSession(host, options, (session) =>
    tellingCalls(session.baseUrl, PKG_EXITS, async () => {
      await using given = await openSource(source);
      return isRefusal(given) ? given : await upload(host, given, options, session);
    }),
  );

async function upload(
  host: Host,
  { file, archive }: Source,
  { json = false, owner, check = false }: PublishFlags,
  session: Session,
): Promise<Refusal | number | undefined> {
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
    return checked.publishable ? undefined : PKG_EXITS.failed;
  }
  const published = await publishPackage({ ...session, archive, owner });
  shown[Symbol.dispose]();
  if (json) out.line(JSON.stringify(published));
  else {
    tellNotes(out, file, published.warnings);
    const [identifier, version] = [plain(published.identifier), plain(published.version)];
    out.line(`${out.paint("ok", SHAPES.ok)} ${identifier} ${version} is published as ${plain(published.status)}.`);
    out.line(`  ${session.baseUrl}/packages/${identifier}`);
    out.line(`  Install it with: backplane pkg install ${identifier}`);
  }
  return undefined;
}

export type StatusFlags = PlaceOptions & { status?: StatusOptions["status"] };

/** `deprecate` is the change that people look for; the others go the same way. */
export const setStatus = (host: Host, spec: string, options: StatusFlags): Promise<number> =>
  withSession(host, options, (session) =>
    tellingCalls(session.baseUrl, PKG_EXITS, async () => {
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
