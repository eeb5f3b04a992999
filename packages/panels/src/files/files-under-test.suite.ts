import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceParams } from "@backplane/contract/panels";
import { openBus } from "@backplane/kit/bus";
import type { Caller } from "@backplane/kit/callers";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { Problem } from "@backplane/kit/problems";
import { NO_LIBRARIES } from "../packages/sample-packages.suite.ts";
import { workspaceCaller } from "../route-options.ts";
import { serveSchematics } from "../schematics/routes.ts";
import type { Services } from "../services.ts";
import { createFiles } from "./files.ts";
import { noUsage } from "./no-usage.suite.ts";
import { serveFiles } from "./routes.ts";

export type Sent = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | ReadableStream;
  duplex?: "half";
  as?: string | null;
};

/** The routes of several instances, on real sockets and a real folder, with one bus between them. */
export async function openFilesUnderTest(
  t: { after(end: () => void | Promise<void>): void },
  { instances = 1, libraryPackages = NO_LIBRARIES } = {},
) {
  const projects = mkdtempSync(join(tmpdir(), "projects-"));
  t.after(() => rmSync(projects, { recursive: true, force: true }));
  const now = () => Date.UTC(2026, 6, 28, 14, 30);
  const bus = await openBus({ now, onFault: () => {} });
  const notes: string[] = [];
  const addresses: string[] = [];
  const access = { checked: 0, hasEnded: false, workspaceId: "w" };

  const workspaces: Pick<Services["workspaces"], "open"> = {
    async open(request) {
      access.checked += 1;
      const name = access.hasEnded ? undefined : request.headers.authorization;
      const caller = await workspaceCaller(async () => callerOf(name), request);
      const { owner, repo } = request.params as WorkspaceParams;
      if (owner.toLowerCase() !== caller.userName) throw new Problem("workspace-not-yours");
      const layout = { revision: 0, root: { type: "leaf", id: "leaf", tabs: [], activeTabId: null } } as const;
      return {
        caller,
        workspace: {
          id: access.workspaceId,
          ownerId: `id-${owner.toLowerCase()}`,
          owner,
          repo,
          folder: repo.toLowerCase(),
          isShared: false,
          layout: { ...layout, root: { ...layout.root, tabs: [] } },
        },
      };
    },
  };

  for (let instance = 0; instance < instances; instance += 1) {
    const app = await createApp({
      onlyDeclaredProblems: true,
      log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
      ...{ metrics: createMetrics("test"), now, readiness: { checks: {}, isDraining: () => false } },
      ...{ trustProxy: [], overHttps: false },
    });
    const log = { note: (_id: string, _level: string, _source: string, message: string) => void notes.push(message) };
    const services = {
      workspaces: workspaces as Services["workspaces"],
      files: createFiles(projects),
      usage: noUsage,
      log: log as unknown as Services["log"],
      bus,
      now,
      libraryPackages,
    };
    serveFiles(app, services);
    serveSchematics(app, services);
    addresses.push(await app.listen({ host: "127.0.0.1", port: 0 }));
    t.after(async () => await app.close());
  }

  const folder = join(projects, "@id-ann", "rover");
  mkdirSync(folder, { recursive: true });
  const ask = (path: string, { as = "ann", headers, ...init }: Sent = {}, instance = 0): Promise<Response> =>
    fetch(`${addresses[instance]}/api/workspaces/editor/ann/rover/current/files${path}`, {
      ...(init as RequestInit),
      headers: { ...(as === null ? {} : { authorization: as }), ...headers },
    });
  const create = { method: "PUT", headers: { "if-none-match": "*" } };
  return { projects, folder, notes, addresses, access, ask, create };
}

/** A name is a person; "name/reader" is a key of theirs that only reads, "publisher" one that only publishes. */
function callerOf(text: string | undefined): Caller | undefined {
  if (text === undefined) return undefined;
  const [name = "", program = name] = text.split("/");
  return {
    ...{ userId: name, userName: name, kind: "Browser", credentialId: text, credentialName: text },
    scopes: program === "reader" ? ["read"] : program === "publisher" ? ["publish"] : ["panels"],
  };
}
