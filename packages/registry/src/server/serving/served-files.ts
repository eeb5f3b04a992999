import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnswerFirst } from "@backplane/kit/http";
import type { Metrics } from "@backplane/kit/metrics";
import { addBrotli, type IndexFile } from "../catalogue/index-file.ts";
import { bothVersions, filesOfBrand, indexPath, namedFiles, type Snapshot } from "../catalogue/snapshot.ts";
import { answerFile, FOREVER, NEWEST, type Served, served, servedByVersion } from "./answer-file.ts";

/** Replaced files are often still requested; beyond this size they come from the store. */
const MAX_REPLACED_BYTES = 64 * 1024 * 1024;
/** A snapshot that lasts this long is worth better compression, which takes half a second for 25 MB: large ones must last longer. */
const COMPRESS_AFTER_MS = 2_000;
const COMPRESS_AFTER_MS_PER_MB = 1_000;

export type ServedFiles = ReturnType<typeof createServedFiles>;

type Options = {
  brands: readonly string[];
  /** Called with a snapshot that lasts, when there is time. */
  onLasting(snapshot: Snapshot): Promise<void>;
  onFault(error: unknown): void;
};

/** Which file is at which address, for requests that must be fast. */
export function createServedFiles({ brands, onLasting, onFault }: Options) {
  let byPath = new Map<string, Served>();
  let replaced: IndexFile[] = [];
  let newest: Snapshot | undefined;
  let timer: NodeJS.Timeout | undefined;

  function pathsOf(snapshot: Snapshot): Map<string, Served> {
    const paths = new Map<string, Served>();
    const places = [["/registry", brands[0] ?? ""], ...brands.map((brand) => [`/registry/${brand}`, brand])] as const;
    for (const [folder, brand] of places) {
      for (const [name, file] of Object.entries(filesOfBrand(snapshot, brand as string) ?? {})) {
        const route = folder === "/registry" ? `/registry/${name}` : `/registry/:brand/${name}`;
        const it = "name" in file ? served(file, NEWEST, route) : servedByVersion(file, NEWEST, route);
        paths.set(`${folder}/${name}`, it);
      }
    }
    for (const file of [...replaced, ...namedFiles(snapshot)]) {
      paths.set(indexPath(file), served(file, FOREVER, `/registry/indexes/:sha256/${file.name}`));
    }
    return paths;
  }

  /** The newest of the replaced files, as far as there is room. */
  function retain(before: Snapshot, next: Snapshot): IndexFile[] {
    const named = new Set(namedFiles(next).map(({ sha256 }) => sha256));
    let bytes = 0;
    return [...namedFiles(before), ...replaced].filter((file) => {
      if (named.has(file.sha256)) return false;
      bytes += file.size;
      return bytes <= MAX_REPLACED_BYTES;
    });
  }

  async function compress(snapshot: Snapshot): Promise<void> {
    await onLasting(snapshot);
    for (const file of [...namedFiles(snapshot), ...[...snapshot.repositories.values()].flatMap(bothVersions)]) {
      if (newest === snapshot) await addBrotli(file);
    }
  }

  return {
    serve(next: Snapshot, before: Snapshot | undefined): void {
      if (before) replaced = retain(before, next);
      newest = next;
      byPath = pathsOf(next);
      clearTimeout(timer);
      const bytes = namedFiles(next).reduce((sum, { size }) => sum + size, 0);
      const afterMs = Math.max(COMPRESS_AFTER_MS, (bytes / 1e6) * COMPRESS_AFTER_MS_PER_MB);
      timer = setTimeout(() => void compress(next).catch(onFault), afterMs).unref();
    },
    at: (path: string): Served | undefined => byPath.get(path),
    close(): void {
      newest = undefined;
      clearTimeout(timer);
    },
  };
}

type QuickAnswerOptions = {
  at(path: string): Served | undefined;
  /** Resolves when this instance serves the newest state. */
  fresh(): Promise<void>;
  observe: Metrics["observeRequest"];
};

const FOLDER = "/registry/";
const REPOSITORY = "/repository.json";

/**
 * Answers requests for index files directly on node:http, before Fastify, because every client asks for them again and
 * again. Addresses with a query, and files that are not in memory, are left to the routes.
 */
export function createQuickAnswers({ at, fresh, observe }: QuickAnswerOptions): AnswerFirst {
  function answer(request: IncomingMessage, response: ServerResponse, it: Served, startMs: number): void {
    const status = answerFile(request, response, it);
    const seconds = startMs === 0 ? 0 : (performance.now() - startMs) / 1_000;
    observe({ method: request.method ?? "GET", route: it.route, status }, seconds);
  }

  async function answerFresh(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const startMs = performance.now();
    await fresh();
    const it = at(url);
    if (it && !response.destroyed) answer(request, response, it, startMs);
  }

  return (request, response) => {
    const { method, url = "" } = request;
    if ((method !== "GET" && method !== "HEAD") || !url.startsWith(FOLDER)) return false;
    const it = at(url);
    if (!it) return false;
    if (url.endsWith(REPOSITORY)) void answerFresh(request, response, url);
    else answer(request, response, it, 0);
    return true;
  };
}
