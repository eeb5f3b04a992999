import {
  EvalResult,
  PANELS_LIMITS,
  SandboxAction,
  SandboxCondition,
  SandboxReport,
  type SandboxState,
  type Tab,
} from "@backplane/contract/panels";
import { fits } from "@backplane/kit/schemas";
import type { Driven, DrivenPanel } from "../driven/driven-panel.ts";
import { ADMIT_PROBLEMS, type AdmitCode } from "../packages/admit-code.ts";
import { invalidField } from "../problems.ts";
import type { Services } from "../services.ts";
import { nameOf } from "../workspaces/tab-list.ts";
import type { EvalQueue } from "./eval-queue.ts";
import type { Journal } from "./journal.ts";
import { evaluate } from "./run-code.ts";

/** Code as JSON, where every character may be escaped, and the fields around it. */
const MAX_BODY_BYTES = 2 * PANELS_LIMITS.maxCodeBytes + 8_192;
const MAX_LOGGED_ERROR = 200;
const REPORT_TIMEOUT_MS = 1_000;
/** A new frame is usually there much sooner. If not, it still comes: every browser follows the state. */
const RESET_TIMEOUT_MS = 2_000;

type Sandbox = Driven<SandboxState>;
type SandboxServices = Pick<Services, "live" | "log"> & { journal: Journal };

/** What programs do with a sandbox. */
export const sandboxPanel = (
  services: SandboxServices,
  queue: EvalQueue,
  drivers: DriverNames,
  admit: AdmitCode,
): DrivenPanel<SandboxAction, SandboxState> => ({
  kind: "sandbox",
  also: { kind: "package", admit, problems: ADMIT_PROBLEMS },
  actions: SandboxAction,
  maxBodyBytes: MAX_BODY_BYTES,
  description:
    "`panelId` names a panel whose active tab is a sandbox, or that tab; also a panel from a package that runs code of " +
    "programs, if a person has allowed that. Code runs as in a console: `await` works, " +
    "declarations persist, the value of the last expression is the result. While no browser shows the panel the code " +
    "waits, and its result is picked up at …/evals/{id}.",
  result: EvalResult,
  report: SandboxReport,
  check(action) {
    if (action.action === "eval") checkCodeSize(action.code);
  },
  act: {
    async eval({ workspace, tab, drivenBy }, { code, timeoutMs = PANELS_LIMITS.evalTimeoutMs }) {
      drivers.note(workspace.id, tab, drivenBy);
      const { text } = await evaluate(
        services,
        queue,
        { workspaceId: workspace.id, tabId: tab.id, code, timeoutMs },
        (result) => {
          if (result.status === "executed") return;
          const [error = ""] = result.error.split("\n", 1);
          services.log.note(workspace.id, "error", "sandbox", `${nameOf(tab)}: ${error.slice(0, MAX_LOGGED_ERROR)}`);
        },
      );
      return text;
    },
    async reset(sandbox) {
      await reset(services, queue, sandbox);
      sandbox.note(`reset ${nameOf(sandbox.tab)}`);
      return undefined;
    },
  },
  reportOn: (sandbox) => report(services, queue, sandbox),
});

function checkCodeSize(code: string): void {
  const { maxCodeBytes } = PANELS_LIMITS;
  // No character takes more than three bytes: most code needs no counting.
  if (code.length * 3 <= maxCodeBytes || Buffer.byteLength(code) <= maxCodeBytes) return;
  throw invalidField("/code", `must have at most ${maxCodeBytes} bytes`);
}

/**
 * Another generation is another frame, in every browser and in those that open later. Queued code is dropped, and code that
 * ran is forgotten.
 */
async function reset({ live, journal }: SandboxServices, queue: EvalQueue, { workspace, tab, state, patch }: Sandbox) {
  const [generation, own] = [(state.generation ?? 0) + 1, { workspaceId: workspace.id, tabId: tab.id }];
  await Promise.all([patch({ generation }), queue.drop(own), journal.drop(own, generation)]);
  await live.ask(workspace.id, { kind: "reset", tabId: tab.id, generation }, { timeoutMs: RESET_TIMEOUT_MS });
}

async function report(
  { live }: SandboxServices,
  queue: EvalQueue,
  { workspace, panelId, tab, state }: Sandbox,
): Promise<SandboxReport> {
  const [answered, queued] = await Promise.all([
    live.ask(workspace.id, { kind: "sandbox", tabId: tab.id }, { timeoutMs: REPORT_TIMEOUT_MS }),
    queue.length({ workspaceId: workspace.id, tabId: tab.id }),
  ]);
  const condition = answered.ok && fits(SandboxCondition, answered.value) ? answered.value : null;
  return {
    ...{ panelId, tabId: tab.id, queued, standing: condition },
    headerHidden: state.headerHidden ?? false,
    generation: state.generation ?? 0,
    live: condition !== null,
  };
}

/** Stores on the tab which program drives it. People see it there; code does not wait for it. */
export function createDriverNames({ workspaces, onFault }: Pick<Services, "workspaces" | "onFault">) {
  const writing = new Map<string, Promise<void>>();
  return {
    note(workspaceId: string, { id, drivenBy }: Tab, name: string | undefined): void {
      const key = `${workspaceId} ${id}`;
      if (name === undefined || name === drivenBy || writing.has(key)) return;
      const done = workspaces
        .patchState(workspaceId, id, {}, name)
        .then(() => undefined, onFault)
        .finally(() => writing.delete(key));
      writing.set(key, done);
    },
    async close(): Promise<void> {
      await Promise.all(writing.values());
    },
  };
}

export type DriverNames = ReturnType<typeof createDriverNames>;
