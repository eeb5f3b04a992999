import {
  EvalReport,
  EvalResult,
  PANELS_LIMITS,
  PanelQuery,
  SandboxAction,
  SandboxReport,
  WorkspaceParams,
} from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { driverOf } from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";
import { nameOf } from "../workspaces/tab-list.ts";
import { activeSandbox, type SandboxTab } from "./active-sandbox.ts";
import { refuseAction, refuseLongCode } from "./check-action.ts";
import type { DriverNames } from "./driver-names.ts";
import type { EvalQueue } from "./eval-queue.ts";
import { reportSandbox } from "./report.ts";
import { resetSandbox } from "./reset-sandbox.ts";
import { evaluate } from "./run-code.ts";

const PATH = "/api/panels/sandbox/:owner/:repo";
const tags = ["panels"];
/** Code as JSON, where every character may be escaped, and the fields around it. */
const MAX_BODY_BYTES = 2 * PANELS_LIMITS.maxCodeBytes + 8_192;
const MAX_LOGGED_ERROR = 200;

const OfEval = Type.Object({ ...WorkspaceParams.properties, id: Type.String({ maxLength: 64 }) });

/** PATCH and GET of a sandbox, and the results of code that had to wait. */
export function serveSandboxes(app: App, services: Services, queue: EvalQueue, drivers: DriverNames): void {
  const { workspaces, log } = services;

  async function run(workspace: Workspace, sandbox: SandboxTab, caller: Caller, code: string, timeoutMs: number) {
    refuseLongCode(code);
    const { tab } = sandbox;
    drivers.note(workspace.id, tab, driverOf(caller));
    const given = { workspaceId: workspace.id, tabId: tab.id, code, timeoutMs };
    return evaluate(services, queue, given, (result) => {
      if (result.status === "executed") return;
      const [error = ""] = result.error.split("\n", 1);
      log.note(workspace.id, "error", "sandbox", `${nameOf(tab)}: ${error.slice(0, MAX_LOGGED_ERROR)}`);
    });
  }

  app.patch(
    PATH,
    {
      bodyLimit: MAX_BODY_BYTES,
      attachValidation: true,
      schema: {
        ...{ tags, summary: "Drive a sandbox: eval, reset, setHeaderHidden", params: WorkspaceParams },
        description:
          "`panelId` names a panel whose active tab is a sandbox, or that tab. Code runs as in a console: `await` works, " +
          "what it declares stays, the value of the last expression is the result. While no browser shows the panel it " +
          "waits, and its result is picked up at …/evals/{id}.",
        ...{ body: SandboxAction, response: { 200: EvalResult, 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      if (request.validationError) {
        refuseAction(request.body);
        throw request.validationError;
      }
      const { body } = request;
      const { workspace, caller } = await workspaces.open(request);
      const sandbox = activeSandbox(workspace.layout.root, body.panelId);
      reply.header("cache-control", "no-store");
      if (body.action === "eval") {
        const timeoutMs = body.timeoutMs ?? PANELS_LIMITS.evalTimeoutMs;
        const { text } = await run(workspace, sandbox, caller, body.code, timeoutMs);
        reply.header("content-type", "application/json; charset=utf-8");
        return reply.serializer((text: unknown) => text as string).send(text as never);
      }
      const drivenBy = driverOf(caller);
      const who = drivenBy ?? caller.userName;
      if (body.action === "reset") {
        await resetSandbox(services, queue, { workspace, sandbox, drivenBy });
        log.note(workspace.id, "info", "sandbox", `${who} reset ${nameOf(sandbox.tab)}`);
      } else {
        const { hidden: headerHidden } = body;
        const tab = await workspaces.patchState(workspace.id, sandbox.tab.id, { headerHidden }, drivenBy);
        if (!tab) throw new Problem("panel-unknown", { detail: "The panel was closed meanwhile." });
        log.note(workspace.id, "info", "sandbox", `${who} ${headerHidden ? "hid" : "showed"} the header`);
      }
      return reply.code(204).send(null);
    },
  );

  app.get(
    PATH,
    {
      schema: {
        ...{ tags, summary: "What a sandbox is like now", params: WorkspaceParams, querystring: PanelQuery },
        response: { 200: SandboxReport },
      },
    },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      const sandbox = activeSandbox(workspace.layout.root, request.query.panelId);
      reply.header("cache-control", "no-store");
      return reportSandbox(services, queue, workspace, sandbox);
    },
  );

  app.get(
    `${PATH}/evals/:id`,
    { schema: { tags, summary: "The result of code that had to wait", params: OfEval, response: { 200: EvalReport } } },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      const { id } = request.params;
      const found = await queue.find(workspace.id, id);
      if (!found) throw new Problem("eval-unknown");
      reply.header("cache-control", "no-store");
      return found.result ? { id, ...found.result } : { id, status: "queued" as const };
    },
  );
}
