import type { TestContext } from "node:test";
import { createContext, runInContext } from "node:vm";
import type { JsonData, Order } from "@backplane/contract/panels";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { CATALOG, createCatalog } from "../catalog/catalog.ts";
import { NO_RULES } from "../packages/sample-packages.suite.ts";
import type { Answered, Live, Services } from "../services.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import { callerOf, type Instance, openStage, until } from "../workspaces/workspaces-under-test.suite.ts";
import { openEvalQueue } from "./eval-queue.ts";
import { createEvalStore } from "./eval-store.ts";
import { openJournal } from "./journal.ts";
import { openSandboxes } from "./sandboxes.ts";

export const PATH = "/api/panels/sandbox/ada/rover";

/** A browser that runs code in its own context, once it is open and shows the panel. */
function createTestBrowser() {
  const context = createContext({});
  const orders: Order[] = [];
  const listeners = new Set<Parameters<Live["onMounted"]>[0]>();
  const browser = {
    isOpen: false,
    isMounted: false,
    orders,
    /** What it ran, in order. */
    ran: [] as string[],
    /** Set: the answer to every order instead. */
    answers: undefined as ((order: Order) => Promise<Answered>) | undefined,
    mount(workspaceId: string, tabId: string) {
      browser.isOpen = browser.isMounted = true;
      for (const listener of listeners) listener({ workspaceId, tabId, browserId: "b1" });
    },
  };

  async function run(code: string): Promise<JsonData> {
    const source = code.slice(code.indexOf("\n") + 1);
    browser.ran.push(source);
    const ran = { id: `b1-${browser.ran.length}`, generation: 0 };
    try {
      const value = await runInContext(`(0, eval)(${JSON.stringify(source)})`, context);
      const result = value === undefined ? {} : { result: value };
      return { status: "executed", ...result, ran: { ...ran, ended: "executed" } };
    } catch (error) {
      return { status: "error", error: String(error), ran: { ...ran, ended: "threw" } };
    }
  }

  const live = {
    async ask(_workspaceId: string, order: Order): Promise<Answered> {
      orders.push(order);
      if (browser.answers) return browser.answers(order);
      if (!browser.isOpen) return { ok: false, reason: "no-browser" };
      if (!browser.isMounted) return { ok: false, reason: "refused", code: "not-mounted", detail: "Not shown." };
      if (order.kind === "eval") return { ok: true, value: await run(order.code) };
      return { ok: true, value: order.kind === "sandbox" ? "ready" : null };
    },
    onMounted(listener: Parameters<Live["onMounted"]>[0]) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  } as unknown as Live;
  return { browser, live };
}

/** Two instances on one database, with one browser that either can ask. */
export async function openSandboxStage(t: TestContext, stage: Stage) {
  const { first, last, ends, clock, faults } = await openStage(t, stage);
  const { browser, live } = createTestBrowser();
  const notes: string[] = [];
  const log = {
    note: (_id, level, source, message) => void notes.push(`${level} ${source}: ${message}`),
  } as Services["log"];

  async function serve({ dependencies, workspaces }: Instance) {
    const unused = { files: {} as Services["files"], usage: {} as Services["usage"], packageRules: NO_RULES };
    const services: Services = { ...dependencies, ...unused, catalog: createCatalog({}), workspaces, live, log };
    const sandboxes = await openSandboxes(services, async () => {});
    const app = await createApp({
      onlyDeclaredProblems: true,
      log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
      ...{ metrics: dependencies.metrics, now: dependencies.now, readiness: { checks: {}, isDraining: () => false } },
      ...{ trustProxy: [], overHttps: false },
    });
    sandboxes.addRoutes(app);
    await app.ready();
    ends.push(async () => {
      await app.close();
      await sandboxes.close();
    });
    return async (method: "GET" | "PATCH", url: string, body?: object, who = "ada/bench-agent") => {
      const headers = who === "" ? {} : { authorization: `Bearer ${who}` };
      const { statusCode, payload } = await app.inject({ method, url, headers, ...(body ? { payload: body } : {}) });
      // biome-ignore lint/suspicious/noExplicitAny: the test checks the answer
      return { status: statusCode, body: payload === "" ? undefined : (JSON.parse(payload) as any) };
    };
  }

  const call = await serve(first);
  const elsewhere = await serve(last);
  const workspace = await first.workspaces.openFor(callerOf("ada"), { owner: "ada", repo: "rover" });
  const open = async (kind: string): Promise<{ panelId: string; tabId: string }> => {
    const panelType = CATALOG.find((panel) => panel.kind === kind)?.identifier ?? "";
    const tabId = `tab-${kind}`;
    const { answer } = await first.workspaces.edit(
      workspace.id,
      (root) => {
        if (root.type !== "leaf") throw new Error("not a leaf");
        const tabs = [...root.tabs, { id: tabId, panelType, panelState: {} }];
        return { root: { ...root, tabs, activeTabId: tabId }, answer: root.id };
      },
      { undoable: false },
    );
    return { panelId: answer, tabId };
  };
  const { panelId, tabId } = await open("sandbox");
  const tab = { workspaceId: workspace.id, tabId };
  const evaluate = (code: string, by = call) => by("PATCH", PATH, { panelId, action: "eval", code });

  /** A single queue, as an instance has it. */
  async function openQueue({ dependencies }: Instance) {
    const journal = openJournal(dependencies);
    const store = createEvalStore(dependencies.database);
    const queue = await openEvalQueue({ ...dependencies, live, store, journal });
    ends.push(async () => {
      await queue.close();
      await journal.close();
    });
    return queue;
  }

  return {
    ...{ first, last, clock, faults, ends, browser, live, notes, call, elsewhere, open, openQueue },
    ...{ workspace, panelId, tabId, tab, evaluate },
  };
}

export type SandboxStage = Awaited<ReturnType<typeof openSandboxStage>>;

/** The results by id, once all of them exist. */
export async function results({ call }: SandboxStage, ids: readonly string[]) {
  const read = async () => Promise.all(ids.map(async (id) => (await call("GET", `${PATH}/evals/${id}`)).body));
  let found: Awaited<ReturnType<typeof read>> = [];
  await until("the code ran", async () => {
    found = await read();
    return found.every(({ status }) => status !== "queued");
  });
  return found;
}
