import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createCatalog } from "../catalog/catalog.ts";
import { serveCatalog } from "../catalog/routes.ts";
import { noUsage } from "../files/no-usage.suite.ts";
import { openLive } from "../live/live.ts";
import { createWorkspaceLog } from "../log/workspace-log.ts";
import { NO_RULES } from "../packages/sample-packages.suite.ts";
import type { Files } from "../services.ts";
import { serveWorkspaces } from "./routes.ts";
import type { Stage } from "./stages.suite.ts";
import { type Instance, openStage } from "./workspaces-under-test.suite.ts";

export type Site = Awaited<ReturnType<typeof openSite>>;
type Method = "GET" | "POST" | "PATCH" | "DELETE";
/** What any of the routes may answer. */
export type Answer = { status: number; body: Record<string, unknown> & { errors?: { pointer: string }[] } };

const noFiles: Files = {
  folderOf: () => "",
  open: async () => undefined,
  write: async () => {},
  removeProject: async () => {},
  sizeOf: async () => 0,
  removeOwner: async () => {},
};

/** The routes of two instances on real sockets. */
export async function openSite(t: TestContext, stage: Stage) {
  const under = await openStage(t, stage);
  const lines: string[] = [];

  async function serve({ dependencies, workspaces }: Instance): Promise<string> {
    const live = await openLive(dependencies, workspaces);
    const log = createWorkspaceLog(dependencies, live);
    const app = await createApp({
      onlyDeclaredProblems: true,
      log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
      ...{ metrics: dependencies.metrics, now: dependencies.now, readiness: { checks: {}, isDraining: () => false } },
      ...{ trustProxy: [], overHttps: false },
      apiDocs: { title: "Test", description: "", version: "0", url: "http://localhost" },
    });
    const catalog = createCatalog(dependencies.settings.panelAliases);
    serveCatalog(app, catalog);
    serveWorkspaces(app, {
      ...dependencies,
      catalog,
      workspaces,
      live,
      log,
      files: noFiles,
      usage: noUsage,
      packageRules: NO_RULES,
    });
    await app.listen({ host: "127.0.0.1", port: 0 });
    under.ends.push(async () => {
      await app.close();
      await live.close();
      await log.close();
    });
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  }

  const addresses = [await serve(under.first), await serve(under.last)] as const;
  let turn = 0;

  /** Alternates between the instances. */
  async function call(who: string | undefined, method: Method, path: string, body?: unknown): Promise<Answer> {
    turn += 1;
    const response = await fetch(`${addresses[turn % 2]}${path}`, {
      method,
      headers: {
        ...(who === undefined ? {} : { authorization: `Bearer ${who}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Answer["body"]) };
  }

  const CURRENT = "/api/workspaces/editor/ada/rover/current";
  return {
    ...under,
    addresses,
    call,
    /** Requests of Ada for her workspace "rover". */
    ada: (method: Method, path = "", body?: unknown) => call("ada", method, `${CURRENT}${path}`, body),
  };
}
