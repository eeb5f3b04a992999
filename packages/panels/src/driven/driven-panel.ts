import { type JsonObject, PanelQuery, type Tab } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import { Type } from "typebox";
import { panelOf } from "../catalog/catalog.ts";
import { BROWSER_PROBLEMS, invalidFields } from "../problems.ts";
import { about, aboutReading, driverOf } from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";
import { activePanel } from "./active-panel.ts";

type PanelAction = { panelId: string; action: string };

/** A kind of panel that programs drive. Everything but its own actions is the same for all of them. */
export type DrivenPanel<Action extends PanelAction, State> = {
  /** As in the catalog; also its part of the address. */
  kind: string;
  /** A union of objects, each with the name of its action. */
  actions: Type.TUnion<Type.TObject[]>;
  maxBodyBytes?: number;
  /** For the API reference. */
  description: string;
  /** What actions answer with 200; the others answer 204. */
  result?: Type.TSchema;
  report: Type.TSchema;
  /** Tabs of another kind that are driven in the same way, unless `admit` throws. */
  also?: { kind: string; admit(workspaceId: string, tab: Tab): Promise<void>; problems: readonly ProblemCode[] };
  /** 422 for what the schema cannot say. Runs before the panel is looked up. */
  check?(action: Action): void;
  /** Each returns the JSON text to answer, or undefined for 204. */
  act: Omit<Handlers<Action, State>, "setHeaderHidden">;
  reportOn(panel: Driven<State>): Promise<unknown>;
};

type Handlers<Action extends PanelAction, State> = {
  [Name in Action["action"]]: (
    panel: Driven<State>,
    action: Extract<Action, { action: Name }>,
  ) => Promise<string | undefined>;
};

/** One panel, and who drives it. */
export type Driven<State> = {
  workspace: Workspace;
  panelId: string;
  tab: Tab;
  state: State;
  /** The program; undefined: a person in their own browser. */
  drivenBy: string | undefined;
  /** Merges into the tab's state. 404 when the tab was closed meanwhile. */
  patch(patch: JsonObject): Promise<void>;
  /** Writes into the workspace's log what the caller did: "opened …". */
  note(text: string): void;
};

const DRIVE_PROBLEMS: readonly ProblemCode[] = [
  ...(["panel-unknown", "wrong-panel-type", "layout-changed", "workspace-full", "too-many-requests"] as const),
  ...BROWSER_PROBLEMS,
];

/** PATCH and GET /api/panels/{kind}/{owner}/{repo} */
export function serveDrivenPanel<Action extends PanelAction, State>(
  app: App,
  { workspaces, log }: Pick<Services, "workspaces" | "log">,
  panel: DrivenPanel<Action, State>,
): void {
  const { kind, actions, also } = panel;
  const path = `/api/panels/${kind}/:owner/:repo`;
  const names = actions.anyOf.map(nameOf);
  const refuseAction = createActionCheck(actions);
  const handlers: Record<string, (panel: Driven<State>, action: never) => Promise<string | undefined>> = {
    ...panel.act,
    setHeaderHidden,
  };

  async function drive(
    { workspace, caller }: { workspace: Workspace; caller: Caller },
    panelId: string,
  ): Promise<Driven<State>> {
    const active = activePanel(workspace.layout.root, panelId, kind, also?.kind);
    if (also && panelOf(active.tab)?.kind === also.kind) await also.admit(workspace.id, active.tab);
    const drivenBy = driverOf(caller);
    return {
      ...{ workspace, ...active, state: active.tab.panelState as State, drivenBy },
      async patch(patch) {
        const tab = await workspaces.patchState(workspace.id, active.tab.id, patch, drivenBy);
        if (!tab) throw new Problem("panel-unknown", { detail: "The panel was closed meanwhile." });
      },
      note: (text) => log.note(workspace.id, "info", kind, `${drivenBy ?? caller.userName} ${text}`),
    };
  }

  app.patch(
    path,
    {
      ...(panel.maxBodyBytes === undefined ? {} : { bodyLimit: panel.maxBodyBytes }),
      attachValidation: true,
      schema: {
        ...about(`Drive a ${kind}: ${names.join(", ")}`, panel.description, [
          ...DRIVE_PROBLEMS,
          ...(also?.problems ?? []),
        ]),
        body: actions,
        response: { ...(panel.result ? { 200: panel.result } : {}), 204: Type.Null() },
      },
    },
    async (request, reply) => {
      if (request.validationError) {
        refuseAction(request.body);
        throw request.validationError;
      }
      const action = request.body as unknown as Action;
      panel.check?.(action);
      const driven = await drive(await workspaces.open(request), action.panelId);
      reply.header("cache-control", "no-store");
      const text = await handlers[action.action]?.(driven, action as never);
      if (text === undefined) return reply.code(204).send(null as never);
      reply.header("content-type", "application/json; charset=utf-8");
      return reply.serializer((text: unknown) => text as string).send(text as never);
    },
  );

  app.get(
    path,
    {
      schema: {
        ...aboutReading(`What a ${kind} shows now`, undefined, [
          ...(["panel-unknown", "wrong-panel-type"] as const),
          ...(also?.problems ?? []),
        ]),
        ...{ querystring: PanelQuery, response: { 200: panel.report } },
      },
    },
    async (request, reply) => {
      const driven = await drive(await workspaces.open(request), request.query.panelId);
      reply.header("cache-control", "no-store");
      return reply.send((await panel.reportOn(driven)) as never);
    },
  );
}

/** Every panel that has a header. */
async function setHeaderHidden(panel: Driven<unknown>, { hidden }: { hidden: boolean }): Promise<undefined> {
  await panel.patch({ headerHidden: hidden });
  panel.note(`${hidden ? "hid" : "showed"} the header`);
}

const nameOf = ({ properties }: Type.TObject): string => (properties.action as { const?: unknown }).const as string;

/** 422 with the faults of the action that was meant; the schema alone would list those of every action. */
function createActionCheck({ anyOf }: Type.TUnion<Type.TObject[]>): (body: unknown) => void {
  const checks = new Map(anyOf.map((branch) => [nameOf(branch), bodyChecker(branch)]));
  const unknown = bodyChecker(
    Type.Object({ action: Type.Union([...checks.keys()].map((name) => Type.Literal(name))) }),
  );
  return (body) => {
    const { action } = (body ?? {}) as { action?: unknown };
    const errors = (checks.get(action as string) ?? unknown)(body);
    if (errors.length > 0) throw invalidFields(errors);
  };
}
