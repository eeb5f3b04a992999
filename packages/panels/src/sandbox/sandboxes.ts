import { EvalReport, PanelQuery, SandboxJournal, type SandboxState, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { panelOf } from "../catalog/catalog.ts";
import { activePanel } from "../driven/active-panel.ts";
import { serveDrivenPanel } from "../driven/driven-panel.ts";
import { ADMIT_PROBLEMS, type AdmitCode } from "../packages/admit-code.ts";
import { aboutReading } from "../route-options.ts";
import type { Services } from "../services.ts";
import { createDriverNames, sandboxPanel } from "./actions.ts";
import { type EvalQueue, openEvalQueue } from "./eval-queue.ts";
import { createEvalStore } from "./eval-store.ts";
import { type AnswerFrame, createFrameServer } from "./frame/serve-frame.ts";
import { type Journal, openJournal } from "./journal.ts";
import { outcomeUnknown } from "./run-code.ts";

export type Sandboxes = {
  /** Answers every request to the host of a sandbox's frame. */
  answer: AnswerFrame;
  addRoutes(app: App): void;
  close(): Promise<void>;
};

/** Sandboxes: the frames that code runs in, how programs drive them, the code that waits for a browser and that ran. */
export async function openSandboxes(services: Services, admit: AdmitCode): Promise<Sandboxes> {
  const store = createEvalStore(services.database);
  const journal = openJournal(services);
  const queue = await openEvalQueue({ ...services, store, journal });
  const drivers = createDriverNames(services);
  return {
    answer: await createFrameServer(services.settings),
    addRoutes(app) {
      serveDrivenPanel(app, services, sandboxPanel({ ...services, journal }, queue, drivers, admit));
      serveQueuedResults(app, services, queue);
      serveJournal(app, services, { journal, admit });
    },
    async close() {
      await queue.close();
      await drivers.close();
      await journal.close();
    },
  };
}

const EvalParams = Type.Object({ ...WorkspaceParams.properties, id: Type.String({ maxLength: 64 }) });

function serveQueuedResults(app: App, { workspaces }: Pick<Services, "workspaces">, queue: EvalQueue): void {
  app.get(
    "/api/panels/sandbox/:owner/:repo/evals/:id",
    {
      schema: {
        ...aboutReading("The result of code that had to wait", undefined, ["eval-unknown", "outcome-unknown"]),
        params: EvalParams,
        response: { 200: EvalReport },
      },
    },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      const { id } = request.params;
      const found = await queue.find(workspace.id, id);
      if (!found) throw new Problem("eval-unknown");
      reply.header("cache-control", "no-store");
      const { result } = found;
      if (result?.status === "unknown") throw outcomeUnknown();
      return result ? { id, ...result } : { id, status: "queued" as const };
    },
  );
}

const JOURNAL =
  "A page that shows the sandbox runs it again, in this order, so that what it drew is there after a reload. Nobody is told " +
  "that it ran again. In a panel from a package nothing runs again: code may have written files there.";

type ReadJournal = { journal: Journal; admit: AdmitCode };

function serveJournal(app: App, { workspaces }: Pick<Services, "workspaces">, { journal, admit }: ReadJournal): void {
  app.get(
    "/api/panels/sandbox/:owner/:repo/journal",
    {
      schema: {
        ...aboutReading("The code that ran in a sandbox since its last reset", JOURNAL, [
          ...(["panel-unknown", "wrong-panel-type"] as const),
          ...ADMIT_PROBLEMS,
        ]),
        ...{ querystring: PanelQuery, response: { 200: SandboxJournal } },
      },
    },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      const { tab } = activePanel(workspace.layout.root, request.query.panelId, "sandbox", "package");
      if (panelOf(tab)?.kind === "package") await admit(workspace.id, tab);
      reply.header("cache-control", "no-store");
      const { generation = 0 } = tab.panelState as SandboxState;
      return journal.read({ workspaceId: workspace.id, tabId: tab.id }, generation);
    },
  );
}
