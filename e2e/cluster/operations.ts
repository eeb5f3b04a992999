import { createHash, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { sampleArchive } from "../../packages/registry/src/archives/samples.suite.ts";
import { type CallError, openWorkspace, publishPackage, startOAuthFlow } from "../../packages/sdk/src/index.ts";
import { until } from "../support/processes.ts";
import { startSigningIn } from "../support/program.ts";
import { call, look, type Outcome } from "./caller.ts";
import type { Told } from "./ledger.ts";
import { type Bench, panelUrl, type Stage } from "./stage.ts";

/** Something that people and programs do all the time. Each call does it once and records what its caller was told. */
export type Work = { name: string; work(): Promise<void> };

const ARRIVES_WITHIN_MS = 120_000;
/** Longer than an instance that died holds code back. */
const SETTLES_WITHIN_MS = 300_000;

/** Of a program whose network does not let streams through: it polls. */
const withoutStreams: typeof fetch = (address, init) => {
  const headers = new Headers(init?.headers);
  headers.set("accept", "application/json");
  return fetch(address, { ...init, headers });
};

/** A program signs in, waits on a stream and by polling in turn, and its person approves. */
export function signIn({ url, person, ledger }: Stage): Work {
  let turn = 0;
  const work = async () => {
    turn += 1;
    const options = turn % 2 === 0 ? { fetch: withoutStreams } : {};
    const program = await startSigningIn(url, options).catch((error: { code?: string }) => error.code ?? "failed");
    if (typeof program === "string") {
      return ledger.record({ kind: "start of a sign-in", told: "not done", error: program, times: async () => 0 });
    }
    using waiting = program;
    const intent = `${url}/auth/intents/${new URL(waiting.link.url).searchParams.get("token")}`;
    const headers = { origin: url, cookie: person.cookie };
    const approval = await call(intent, { method: "PATCH", headers, json: { decision: "approve" } });
    const isApproved = async () => ((await look(intent)).body.completed === true ? 1 : 0);
    ledger.record({ ...approval, kind: "approval", times: isApproved });
    if (approval.told !== "done") return;
    const session = await Promise.race([waiting.signedIn, wait(ARRIVES_WITHIN_MS, undefined, { ref: false })]).catch(
      () => undefined,
    );
    const authorization = `Bearer ${session?.sessionToken}`;
    const isSignedIn = async () => ((await look(`${url}/user`, { headers: { authorization } })).status === 200 ? 1 : 0);
    ledger.record({ kind: "session", told: "done", times: isSignedIn });
  };
  return { name: "sign-in", work };
}

type Made = { id: string; isRemoved: boolean };

/** Of three turns, two make something, and one removes something that is there. */
function makeAndRemove(make: () => Promise<Made | undefined>, remove: (made: Made) => Promise<void>) {
  const made: Made[] = [];
  let turn = 0;
  return async () => {
    turn += 1;
    const oldest = turn % 3 === 0 ? made.shift() : undefined;
    if (oldest) {
      oldest.isRemoved = true;
      return remove(oldest);
    }
    const one = await make();
    if (one) made.push(one);
  };
}

export function apiKeys({ url, person, ledger }: Stage): Work {
  const keys = `${url}/auth/api-keys`;
  const headers = { origin: url, cookie: person.cookie };
  const list = async () => (await look(keys, { headers })).body.api_keys as { id: string; name: string }[];
  const make = async () => {
    const name = randomUUID();
    const outcome = await call(keys, { method: "POST", headers, json: { name, scopes: ["read"] } });
    const made = { id: String(outcome.body.id), isRemoved: false };
    const isUsable = async () =>
      (await look(`${url}/user`, { headers: { "x-api-key": String(outcome.body.key) } })).status;
    ledger.record({
      ...outcome,
      kind: "new API key",
      async times() {
        if (made.isRemoved) return 1;
        const listed = (await list()).filter((key) => key.name === name).length;
        return outcome.told === "done" && (await isUsable()) !== 200 ? 0 : listed;
      },
    });
    return outcome.told === "done" ? made : undefined;
  };
  const remove = async ({ id }: Made) => {
    const outcome = await call(`${keys}/${id}`, { method: "DELETE", headers });
    const times = async () => ((await list()).some((key) => key.id === id) ? 0 : 1);
    ledger.record({ ...outcome, kind: "revoked API key", times });
  };
  return { name: "API keys", work: makeAndRemove(make, remove) };
}

export function packages({ url, name, apiKey, ledger }: Stage): Work {
  let count = 0;
  const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  const work = async () => {
    count += 1;
    const identifier = `org.example.${name}.p${count}`;
    const archive = sampleArchive({ identifier });
    const headers = { "content-type": "application/zip", "x-api-key": apiKey };
    const published = await call(`${url}/registry/packages`, { method: "POST", headers, bytes: archive });
    const address = `${url}/registry/packages/${identifier}`;
    const isThere = async () => {
      const { status, body } = await look(address);
      if (status === 404) return 0;
      const [version] = body.versions as { download_url: string }[];
      const download = await look(version?.download_url ?? "");
      return digestOf(download.bytes) === digestOf(archive) ? 1 : 0;
    };
    ledger.record({ ...published, kind: "package", times: isThere });
    if (published.told !== "done") return;
    const read = await call(address);
    // Told that it does not exist, although its publisher was told that it does: a wrong statement.
    ledger.record({ ...read, kind: "package read back", times: async () => (read.told === "unknown" ? 0 : 1) });
  };
  return { name: "packages", work };
}

export function layout({ url, name, apiKey, ledger }: Stage): Work {
  const tabs = `${url}/api/workspaces/editor/${name}/layout/current/tabs`;
  const headers = { "x-api-key": apiKey };
  const list = async () => (await look(tabs, { headers })).body.tabs as { tabId: string; name: string }[];
  const make = async () => {
    const displayName = randomUUID();
    const outcome = await call(tabs, { method: "POST", headers, json: { panelType: "system-log", displayName } });
    const made = { id: String(outcome.body.tabId), isRemoved: false };
    const count = async () => (await list()).filter((tab) => tab.name === displayName).length;
    ledger.record({ ...outcome, kind: "new tab", times: async () => (made.isRemoved ? 1 : count()) });
    return outcome.told === "done" ? made : undefined;
  };
  const remove = async ({ id }: Made) => {
    const outcome = await call(tabs, { method: "DELETE", headers, json: { tabId: id } });
    const times = async () => ((await list()).some((tab) => tab.tabId === id) ? 0 : 1);
    ledger.record({ ...outcome, kind: "closed tab", times });
  };
  return { name: "layout", work: makeAndRemove(make, remove) };
}

type Evals = Work & {
  /** Waits until what was queued has run, and records what is said about it then. */
  settle(): Promise<void>;
};

export function evals(stage: Stage, bench: Bench, kind: string): Evals {
  const { apiKey, ledger, runs } = stage;
  const headers = { "x-api-key": apiKey };
  const url = panelUrl(stage, "sandbox", bench);
  const queued: { mark: string; id: string }[] = [];
  const record = (mark: string, outcome: Outcome) =>
    ledger.record({ ...saysRan(outcome), kind, times: async () => runs(mark) });
  return {
    name: kind,
    async work() {
      const mark = randomUUID();
      const json = { panelId: bench.panelId, action: "eval", code: `markRun("${mark}"); 1` };
      const outcome = await call(url, { method: "PATCH", headers, json });
      if (outcome.body.status === "queued") queued.push({ mark, id: String(outcome.body.id) });
      else record(mark, outcome);
    },
    async settle() {
      const untilMs = Date.now() + SETTLES_WITHIN_MS;
      for (const { mark, id } of queued.splice(0)) {
        let outcome = await call(`${url}/evals/${id}`, { headers });
        // What was never run although a browser shows the panel counts as lost.
        while (Date.now() < untilMs && isStillQueued(outcome)) {
          await wait(250);
          outcome = await call(`${url}/evals/${id}`, { headers });
        }
        record(mark, outcome);
      }
    },
  };
}

const isStillQueued = ({ body, error }: Outcome): boolean =>
  body.status === "queued" || (error !== undefined && body.code !== "outcome-unknown" && !error.startsWith("4"));

/** As the guide says: "error" means that the code ran, unless its text begins with "The code did not run". */
function saysRan(outcome: Outcome): Outcome {
  const { body } = outcome;
  if (outcome.told !== "done" || body.status !== "error") return outcome;
  const error = String(body.error);
  const told: Told = error.startsWith("The code did not run") ? "not done" : "done";
  return { ...outcome, told, error };
}

/** A program shows pages in a web view. Their site counts what the browser loads. */
export function navigations(stage: Stage): Work {
  const { site } = stage.cluster;
  const act = webviewActions(stage, stage.webviews.navigated);
  const work = async () => {
    const page = `/plain/${randomUUID()}`;
    const outcome = await act({ action: "navigate", url: `${site.url}${page}` });
    // The next one would replace it before a browser shows it.
    if (outcome.told === "done") await within(() => site.visits(page) > 0);
    stage.ledger.record({
      ...{ ...outcome, kind: "web view navigation" },
      times: async () => Math.min(site.visits(page), 1),
    });
  };
  return { name: "web view navigations", work };
}

/** A program reloads a page. Reloads look alike: they count for those that were told done first, and for "not done" last. */
export function refreshes(stage: Stage): Work {
  const LIKELY: readonly Told[] = ["done", "unknown", "nothing", "not done"];
  const visits = () => stage.cluster.site.visits(`/plain/${stage.name}`);
  const visitsBefore = visits();
  const act = webviewActions(stage, stage.webviews.refreshed);
  const all: Outcome[] = [];
  const work = async () => {
    const visitsUntilNow = visits();
    const outcome = await act({ action: "refresh" });
    all.push(outcome);
    if (outcome.told === "done") await within(() => visits() > visitsUntilNow);
    const times = async () => {
      const likelyFirst = all.toSorted((a, b) => LIKELY.indexOf(a.told) - LIKELY.indexOf(b.told));
      return visits() - visitsBefore > likelyFirst.indexOf(outcome) ? 1 : 0;
    };
    stage.ledger.record({ ...outcome, kind: "web view reload", times });
  };
  return { name: "web view reloads", work };
}

function webviewActions(stage: Stage, panelId: string) {
  const url = panelUrl(stage, "webview", stage.lit);
  const headers = { "x-api-key": stage.apiKey };
  return (action: object): Promise<Outcome> => call(url, { method: "PATCH", headers, json: { panelId, ...action } });
}

/** What does not happen in time is found missing when everything is compared. */
const within = (condition: () => boolean): Promise<void> => until(condition, "it arrives").catch(() => {});

export function screenshots({ url, name, apiKey, ledger, lit }: Stage): Work {
  const current = `${url}/api/workspaces/editor/${name}/${lit.repo}/current`;
  const headers = { "x-api-key": apiKey };
  const work = async () => {
    const shot = randomUUID();
    const json = { panelId: lit.panelId, method: "html2canvas", name: shot };
    const outcome = await call(`${current}/screenshot`, { method: "PATCH", headers, json });
    const times = async () => {
      const files = (await look(`${current}/files`, { headers })).body.files as { path: string }[];
      return files.filter(({ path }) => path.startsWith(`screenshots/${shot}`)).length;
    };
    ledger.record({ ...outcome, kind: "screenshot", times });
  };
  return { name: "screenshots", work };
}

/** An application waits for its code, and its user's browser comes back from the provider and asks until it is delivered. */
export function oauthCodes({ cluster: { gatewayUrl }, ledger }: Stage): Work {
  const work = async () => {
    const flow = await startOAuthFlow({
      ...{ provider: "cluster", authUrl: "https://provider.example/authorize", clientId: "client", scopes: "" },
      ...{ gatewayUrl, connectTimeoutMs: ARRIVES_WITHIN_MS, timeoutMs: ARRIVES_WITHIN_MS },
    });
    const code = randomUUID();
    let got: string | undefined;
    const received = flow.waitForCode().then(
      (answer) => {
        got = answer.code;
      },
      (error: Error) => {
        got = error.message;
      },
    );
    const state = new URL(flow.authRedirectUrl).searchParams.get("state") ?? "";
    const page = `${gatewayUrl}/callback?${new URLSearchParams({ code, state })}`;
    let isTold = false;
    while (got === undefined && !isTold) {
      const outcome = await call(page, { headers: { accept: "application/json" } });
      isTold = outcome.told === "done" || outcome.error?.startsWith("410 ") === true;
      if (!isTold) await wait(500);
    }
    await received;
    ledger.record({ kind: "OAuth code", told: "done", times: async () => (got === code ? 1 : 0) });
  };
  return { name: "OAuth codes", work };
}

/** A program writes files of a project. */
export function files({ url, name, apiKey, ledger, lit }: Stage): Work {
  const work = async () => {
    const file = `${url}/api/workspaces/editor/${name}/${lit.repo}/current/files/notes/${randomUUID()}.txt`;
    const bytes = Buffer.from(randomUUID());
    const auth = { "x-api-key": apiKey };
    const headers = { ...auth, "content-type": "application/octet-stream", "if-none-match": "*" };
    const outcome = await call(file, { method: "PUT", headers, bytes });
    const times = async () => ((await look(file, { headers: auth })).bytes.equals(bytes) ? 1 : 0);
    ledger.record({ ...outcome, kind: "file", times });
  };
  return { name: "files", work };
}

/** The same with the sdk, as a program that never looks at errors: none may reach it that trying again would have avoided. */
export function sdkCalls({ url, name, apiKey, ledger }: Stage): Work {
  const options = { baseUrl: url, sessionToken: apiKey };
  const workspace = openWorkspace({ ...options, owner: name, repo: "sdk" });
  const act = async (what: string, call: Promise<unknown>, times: () => Promise<number>) => {
    const error = await call.then(
      () => undefined,
      ({ code, status, problemCode, cause }: CallError) => [code, status, problemCode, cause].filter(Boolean).join(" "),
    );
    const told: Told = error === undefined ? "done" : "unknown";
    ledger.record({ kind: `sdk: ${what}`, told, ...(error === undefined ? {} : { error }), times });
  };
  const work = async () => {
    const id = randomUUID();
    const file = `notes/${id}.txt`;
    await act("file", workspace.writeFile(file, id), async () => {
      return (await workspace.files()).files.filter(({ path }) => path === file).length;
    });
    const identifier = `org.example.${name}.s${id}`;
    const archive = new Blob([new Uint8Array(sampleArchive({ identifier }))]);
    const isListed = async () => ((await look(`${url}/registry/packages/${identifier}`)).status === 200 ? 1 : 0);
    await act("package", publishPackage({ ...options, archive }), isListed);
    await act("files", workspace.files(), async () => 1);
  };
  return { name: "sdk", work };
}

/** A browser loads a page of the app, and the files that it names. */
export function pages({ url, ledger }: Stage): Work {
  const work = async () => {
    const page = await call(`${url}/`);
    const names = [...page.bytes.toString().matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)];
    const parts = await Promise.all(names.map(([, path]) => call(`${url}${path}`)));
    const outcome = parts.find(({ told }) => told !== "done") ?? page;
    ledger.record({ ...outcome, kind: "page", times: async () => (outcome.told === "done" ? names.length && 1 : 0) });
  };
  return { name: "pages", work };
}
