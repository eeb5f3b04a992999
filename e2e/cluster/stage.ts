import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { newContext } from "../support/browser.ts";
import { makePerson, type Person, signedInWindow, signInAs } from "../support/person.ts";
import { until } from "../support/processes.ts";
import { connected, driverOf } from "../support/workspaces.ts";
import { look } from "./caller.ts";
import type { Cluster } from "./cluster.ts";
import type { Ledger } from "./ledger.ts";

/** A workspace with one sandbox in it. */
export type Bench = { repo: string; panelId: string };

/** What the operations of one round work on: a new person, because limits count per person. */
export type Stage = AsyncDisposable & {
  cluster: Cluster;
  ledger: Ledger;
  url: string;
  name: string;
  person: Person;
  apiKey: string;
  /** Nobody has it open until the round ends. */
  dark: Bench;
  /** Open in a browser all the time. */
  lit: Bench;
  /** Panels beside the sandbox of `lit`, each with a web view. */
  webviews: { navigated: string; refreshed: string };
  /** How often the code with this mark has run in a browser: counted there, not by the product. */
  runs(mark: string): number;
  open(bench: Bench): Promise<void>;
};

export async function openStage(cluster: Cluster, ledger: Ledger, browser: Browser, name: string): Promise<Stage> {
  const { url } = cluster;
  const owner = await signInAs(url);
  const person = await (await makePerson(owner, url, name)).signIn();
  const scopes = ["read", "publish", "panels"];
  const made = await person.call(url, "/auth/api-keys", { method: "POST", body: { name: "load", scopes } });
  assert.equal(made.status, 201, `an API key for ${name}`);
  const { key: apiKey } = (await made.json()) as { key: string };
  const context = await newContext(browser, signedInWindow(person));
  const runs = new Map<string, number>();
  await context.exposeBinding("markRun", (_source, mark: string) => runs.set(mark, (runs.get(mark) ?? 0) + 1));

  async function newBench(repo: string): Promise<Bench> {
    const { panelId } = await driverOf({ apiKey }, url, repo, name).open("sandbox");
    return { repo, panelId };
  }
  const lit = await newBench("lit");
  const beside = driverOf({ apiKey }, url, lit.repo, name);
  const page = `${cluster.site.url}/plain/${name}`;
  const newWebview = async () =>
    (await beside.split(lit.panelId, "webview", { initialState: { url: page } })).newPanelId;
  const stage: Stage = {
    ...{ cluster, ledger, url, name, person, apiKey },
    ...{ dark: await newBench("dark"), lit },
    webviews: { navigated: await newWebview(), refreshed: await newWebview() },
    runs: (mark) => runs.get(mark) ?? 0,
    async open(bench) {
      const page: Page = await context.newPage();
      await page.goto(`${url}/w/${name}/${bench.repo}`);
      await connected(page);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
  await stage.open(stage.lit);
  await until(() => cluster.site.visits(`/plain/${name}`) === 2, "both web views show their page");
  let answered: unknown;
  const started = until(async () => {
    const json = { ...stage.lit, action: "eval", code: "markRun('begin')" };
    const headers = { "x-api-key": apiKey };
    const url = panelUrl(stage, "sandbox", stage.lit);
    answered = (await look(url, { method: "PATCH", headers, json })).body;
    return stage.runs("begin") > 0;
  }, "the sandbox runs code");
  await started.catch((cause) => {
    throw new Error(`The sandbox does not run code, and answers ${JSON.stringify(answered)}`, { cause });
  });
  return stage;
}

export const panelUrl = ({ url, name }: Pick<Stage, "url" | "name">, kind: string, { repo }: Bench): string =>
  `${url}/api/panels/${kind}/${name}/${repo}`;
