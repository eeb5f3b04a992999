import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { type Paste, VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import type { Log } from "@backplane/kit/log";
import { Problem } from "@backplane/kit/problems";
import type { NamerSettings } from "@backplane/kit/settings";
import type { Naming, NamingOutcome, Pastes } from "../services.ts";
import { askModel, ModelFault } from "./models/ask-model.ts";
import { cleanText } from "./names/secret-labels.ts";
import { suggestNames } from "./names/suggest-names.ts";
import type { Recogniser } from "./recognition/recogniser.ts";

export type NamingOptions = {
  pastes: Pick<Pastes, "fileOf" | "finishNaming">;
  recogniser: Pick<Recogniser, "recognise">;
  /** Undefined: names come from the text in the picture. */
  namer: NamerSettings | undefined;
  fetch: typeof globalThis.fetch;
  now: Clock;
  log: Pick<Log, "warn" | "error">;
  limits?: Partial<NamingLimits>;
};

type NamingLimits = { maxWaitingForName: number; namerTimeoutMs: number; modelCallsAtOnce: number };

/** Limits how many pictures a slow model keeps in memory; reading text waits for it. */
const MODEL_CALLS_AT_ONCE = 4;

/** Names screenshots: reads the text of one at a time while the model looks at it. Those left at the end are named after a restart. */
export function createNaming({ pastes, recogniser, namer, fetch, now, log, limits: given }: NamingOptions): Naming {
  const limits = { ...VIEWER_LIMITS, modelCallsAtOnce: MODEL_CALLS_AT_ONCE, ...given };
  const warn = createLimitedWarning(log, now);
  const closing = new AbortController();
  const waiting: string[] = [];
  const finishing = new Set<Promise<void>>();
  let isRunning = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const model = namer === undefined ? undefined : modelName(namer, id);
      const read = await readText(id);
      if (closing.signal.aborted) break;
      finishLater(id, async () => outcomeOf(read.text, await model, read.names));
      if (finishing.size >= limits.modelCallsAtOnce) await Promise.race(finishing);
    }
    isRunning = false;
  }

  /** Never rejects: without it, the name from the text is used. */
  async function modelName(settings: NamerSettings, id: string): Promise<string | undefined> {
    try {
      const picture = await withFile(id, (path) => readFile(path));
      return await askModel(settings, picture, { fetch, signal: closing.signal, timeoutMs: limits.namerTimeoutMs });
    } catch (error) {
      if (error instanceof ModelFault) warn(`The model at NAMER_URL gave no name. ${error.message}`);
      else if (!isGone(error) && !closing.signal.aborted)
        log.error({ err: error }, "a screenshot could not be sent to the model");
      return undefined;
    }
  }

  async function readText(id: string): Promise<{ text: string | null; names: string[] }> {
    try {
      const recognised = await withFile(id, (path) => recogniser.recognise(path));
      const text = cleanText(recognised.text);
      // Let other work run: a picture full of text takes a while.
      await setImmediate();
      return { text, names: suggestNames(recognised) };
    } catch (error) {
      if (!isGone(error) && !closing.signal.aborted)
        log.error({ err: error }, "the text of a screenshot could not be read");
      return { text: null, names: [] };
    }
  }

  /** If the screenshot is renamed while its file is opened, opens it under its new name. */
  async function withFile<T>(id: string, use: (path: string) => Promise<T>): Promise<T> {
    const path = await pastes.fileOf(id, "optimized");
    try {
      return await use(path);
    } catch (error) {
      const pathNow = await pastes.fileOf(id, "optimized");
      if (pathNow === path) throw error;
      return await use(pathNow);
    }
  }

  function finishLater(id: string, decide: () => Promise<NamingOutcome>): void {
    const finished = finish(id, decide).finally(() => finishing.delete(finished));
    finishing.add(finished);
  }

  async function finish(id: string, decide: () => Promise<NamingOutcome>): Promise<void> {
    try {
      const outcome = await decide();
      if (!closing.signal.aborted) await pastes.finishNaming(id, outcome);
    } catch (error) {
      if (!isGone(error)) log.error({ err: error }, "a screenshot could not be named");
    }
  }

  return {
    add({ id }: Paste) {
      if (closing.signal.aborted) return;
      if (waiting.length >= limits.maxWaitingForName) return finishLater(id, async () => NO_NAME);
      waiting.push(id);
      void run();
    },

    /** Does not wait for the recogniser: what it is reading is read again after the next start. */
    async close() {
      closing.abort();
      waiting.length = 0;
      await Promise.all(finishing);
    },
  };
}

const isGone = (error: unknown): boolean =>
  error instanceof Problem && (error.code === "paste-unknown" || error.code === "paste-gone");

/** The screenshot keeps its first name. */
const NO_NAME: NamingOutcome = { text: null, suggestions: [], name: null, by: null };

/** The model's name comes before those from the text. */
function outcomeOf(text: string | null, modelName: string | undefined, fromText: string[]): NamingOutcome {
  const ranked = modelName === undefined ? fromText : [modelName, ...fromText];
  const suggestions = [...new Set(ranked)].slice(0, VIEWER_LIMITS.suggestions);
  const [name = null] = suggestions;
  const by = name === null ? null : modelName === undefined ? "text" : "model";
  return { text, suggestions, name, by };
}

const WARN_EVERY_MS = 60_000;

/** Warns at most once per minute, because an endpoint that is down fails for every screenshot. */
function createLimitedWarning(log: Pick<Log, "warn">, now: Clock): (sentence: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (sentence) => {
    const nowMs = now();
    if (nowMs - lastMs < WARN_EVERY_MS) return;
    lastMs = nowMs;
    log.warn(sentence);
  };
}
