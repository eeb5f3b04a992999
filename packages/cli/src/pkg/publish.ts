import { MANAGER_EXIT } from "@backplane/registry/manager";
import {
  checkPackage,
  publishPackage,
  RegistryError,
  type SessionOptions,
  type StatusOptions,
  setPackageStatus,
} from "@backplane/sdk";
import { badInput, isRefusal, type Refusal } from "../connect/refusal.ts";
import type { PlaceOptions } from "../login/options.ts";
import { withSession } from "../login/with-session.ts";
import { openTerminal, SHAPES } from "../terminal.ts";
import { summaryOf, tellNotes } from "./notes.ts";
import { showProgress } from "./progress.ts";
import { openSource, type Source } from "./publish-source.ts";
import { countOf, plain, sizeOf } from "./words.ts";

type Host = NodeJS.Process;
type Session = SessionOptions & { baseUrl: string };

export type PublishFlags = PlaceOptions & { owner?: string; check?: boolean };

export const publish = (host: Host, source: string, options: PublishFlags): Promise<number> =>
  withSession(host, options, (session) =>
    tellingRegistry(session.baseUrl, async () => {
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
    return checked.publishable ? MANAGER_EXIT.done : MANAGER_EXIT.unexpected;
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
    tellingRegistry(session.baseUrl, async () => {
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
export async function tellingRegistry(
  baseUrl: string,
  work: () => Promise<Refusal | number | undefined>,
): Promise<Refusal | number | undefined> {
  try {
    return await work();
  } catch (error) {
    // Told by who calls this, too: what somebody stopped has not failed.
    if (!(error instanceof RegistryError) || error.code === "aborted") throw error;
    const { code, problemCode = code, message } = error;
    const faults = error.faults.map(({ pointer, message: fault }) => ({
      pointer: plain(pointer),
      message: plain(fault),
    }));
    // The first fault is also what the message says: it need not be read twice.
    const said =
      faults.length > 0 ? `It is refused: ${countOf(faults.length, "fault")}.` : sentence(wordsOf(message, baseUrl));
    const exit = exitOf(error);
    const lines = [said, ...nextSteps(error, baseUrl)];
    return { code: problemCode, message: lines.join("\n"), exit, ...(faults.length > 0 ? { faults } : {}) };
  }
}

/** The sdk speaks of its own options. */
const wordsOf = (message: string, baseUrl: string): string =>
  plain(message.replace("set allowHttp", "add --allow-http").replace(/\bbaseUrl\b/, baseUrl));

const sentence = (words: string): string => (/[.!?]$/.test(words) ? words : `${words}.`);

const NOT_FOUND = 404;

function nextSteps({ code, status }: RegistryError, baseUrl: string): string[] {
  if (code === "not-signed-in") return [`Run backplane login --url ${baseUrl}`];
  if (status === NOT_FOUND) return ["Check the spelling, and that the address is right: --url <url>"];
  if (code !== "unreachable") return [];
  return ["Start one on this machine with: backplane up", "Or give the address of another: --url <url>"];
}

function exitOf({ code, status }: RegistryError): number {
  if (code === "invalid-option") return MANAGER_EXIT.usage;
  if (code === "unreachable" || code === "temporary") return MANAGER_EXIT.unreachable;
  return status === NOT_FOUND ? MANAGER_EXIT.notFound : MANAGER_EXIT.unexpected;
}
