import {
  PAGE_PATH,
  type Paste,
  type PasteList,
  type PasteWithText,
  type SearchResult,
  VIEWER_LIMITS,
  type Widget,
} from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import { readServerFile } from "../pastes/storage/server-file.ts";
import type { ViewerAccess } from "../services.ts";
import { EVENT_LIMITS, type EventLimits, followEvents } from "./events.ts";
import { type CallOptions, createAsk, readBody, readJson } from "./viewer-calls.ts";

type Options = CallOptions & {
  /** Absolute path. */
  project: string;
  eventLimits?: Partial<EventLimits>;
};

const { maxListed, maxReadBytes, uploadTimeoutMs } = VIEWER_LIMITS;

/** `ViewerAccess` over HTTP, to the process on this machine that holds the project. */
export function createHttpAccess({ project, eventLimits, ...options }: Options): ViewerAccess {
  const ask = createAsk(options);
  const limits = { ...EVENT_LIMITS, ...eventLimits };
  const json = async <Of>(...call: Parameters<typeof ask>): Promise<Of> => readJson<Of>(await ask(...call));
  const list = (limit: number) => json<PasteList>(`${PAGE_PATH}/list?limit=${Math.min(limit, maxListed)}`);
  const read = (id: string) => json<PasteWithText>(addressOf(id));

  async function get(id: string): Promise<PasteWithText | undefined> {
    try {
      return await read(id);
    } catch (error) {
      if (error instanceof Problem && error.code === "paste-unknown") return undefined;
      throw error;
    }
  }

  return {
    project,
    list,
    get,
    openWidget: (title) => json<Widget>(`${PAGE_PATH}/widget`, { method: "POST", json: { title } }),
    async newest() {
      const [paste] = (await list(1)).pastes;
      return paste && get(paste.id);
    },
    async search(query, limit) {
      const parameters = new URLSearchParams({ q: query, limit: String(Math.min(limit, maxListed)) });
      return (await json<SearchResult>(`${PAGE_PATH}/search?${parameters}`)).hits;
    },
    rename: (id, name, by) => json<Paste>(addressOf(id), { method: "PATCH", json: { name, by } }),
    async next(signal, { after, onWaiting } = {}) {
      let before = after;
      let isWaiting = false;
      for await (const event of followEvents(ask, signal, limits)) {
        if (event.type === "paste" && before !== undefined && event.paste.id > before) return event.paste;
        if (event.type !== "hello") continue;
        const newest = event.newest ?? "";
        before ??= newest;
        // It came before the stream was open, or while it was interrupted.
        if (newest > before) {
          const missed = (await list(maxListed)).pastes.findLast(({ id }) => id > (before ?? ""));
          if (missed) return missed;
        }
        if (!isWaiting) onWaiting?.();
        isWaiting = true;
      }
      return signal.reason;
    },
    async named(id, signal) {
      try {
        for await (const event of followEvents(ask, signal, limits)) {
          const isAboutIt = event.type === "hello" || (event.type === "paste" ? event.paste.id : event.id) === id;
          const paste = isAboutIt ? await read(id) : undefined;
          if (paste?.status === "named") return paste;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      return read(id);
    },
    async readFile(id, file) {
      return readBody(await ask(`${addressOf(id)}/${file}.png`), maxReadBytes);
    },
    paste(image, title) {
      const query = title ? `?${new URLSearchParams({ title })}` : "";
      // Copied, because small Buffers share memory, which fetch does not accept.
      const bytes = Buffer.from(image);
      return json<Paste>(`${PAGE_PATH}${query}`, { method: "POST", image: bytes, withinMs: uploadTimeoutMs });
    },
  };
}

const addressOf = (id: string): string => `${PAGE_PATH}/${encodeURIComponent(id)}`;

/** The viewer that serves a project on this machine, if one does. */
export async function findViewer(
  project: string,
  fetch: typeof globalThis.fetch,
): Promise<{ access: ViewerAccess; url: string } | undefined> {
  const server = await readServerFile(project);
  return server && { access: createHttpAccess({ ...server, project, fetch }), url: server.url };
}
