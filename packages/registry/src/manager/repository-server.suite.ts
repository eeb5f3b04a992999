import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Package, type PackageVersion, SCHEMA_V2_MEDIA_TYPE } from "@backplane/contract/registry";
import { type Sample, sampleArchive, sampleMetadata } from "../archives/samples.suite.ts";
import { writeLists, writePackages } from "../repository/packages-json.ts";
import { writeRepository } from "../repository/repository-json.ts";
import { publicKeyOf, type SigningKey } from "../signing/keys.ts";
import { type IndexStatement, SIGNING_LIMITS, signIndex } from "../signing/signed-index.ts";
import { sha256Of } from "../values.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server for files in memory with ETag, 304 and ranges; a test can override any address. */
export type FileServer = AsyncDisposable & {
  url: string;
  files: Map<string, Buffer>;
  instead: Map<string, Handler>;
  /** "GET /packages.json 200" */
  requests: string[];
  headers: IncomingMessage["headers"][];
  count(path: string): number;
};

export async function openFileServer(): Promise<FileServer> {
  const files = new Map<string, Buffer>();
  const instead = new Map<string, Handler>();
  const requests: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    headers.push(request.headers);
    response.on("close", () => requests.push(`${request.method} ${path} ${response.statusCode}`));
    const handler = instead.get(path);
    if (handler) return handler(request, response);
    serveFile(files.get(path), request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url, files, instead, requests, headers },
    count: (path) => requests.filter((line) => line.split(" ")[1] === path).length,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serveFile(bytes: Buffer | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (!bytes) {
    response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html><title>Not found</title>");
    return;
  }
  const etag = `"${sha256Of(bytes).slice(0, 20)}"`;
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const isSame = request.headers["if-range"] === undefined || request.headers["if-range"] === etag;
  if (start > 0 && isSame) {
    const range = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
    response.writeHead(206, { etag, "content-range": range, "content-length": bytes.length - start });
    response.end(bytes.subarray(start));
    return;
  }
  response.writeHead(200, { etag, "content-length": bytes.length }).end(bytes);
}

export type Published = Sample & {
  /** Overrides of the right values. */
  listed?: Partial<Record<keyof PackageVersion, unknown>>;
  /** Instead of a good archive. */
  archive?: Buffer;
};

export type RepositoryOptions = {
  name?: string;
  brand?: string;
  updateTimestamp?: number;
  /** `Accept` decides on the version of the schema. Otherwise everything is in a list of version 1, valid or not. */
  byVersion?: boolean;
  sign?: { key: SigningKey; counter: number; issued: number; expires?: number; alsoSignedBy?: SigningKey[] };
};

/** Puts a repository with these versions on the server; returns its address. */
export function putRepository(
  server: FileServer,
  published: readonly Published[],
  options: RepositoryOptions = {},
): string {
  const packages = new Map<string, Package>();
  for (const each of published) {
    const about = sampleMetadata(each) as unknown as Package;
    const { identifier } = about;
    const [version] = about.versions;
    if (!version) throw new Error("A sample has one version.");
    const archive = each.archive ?? sampleArchive(each);
    const path = `/archives/${identifier}/${each.epoch ?? 0}-${version.version}.zip`;
    server.files.set(path, archive);
    const download = {
      download_url: server.url + path,
      download_sha256: sha256Of(archive),
      download_size: archive.length,
      install_size: archive.length,
    };
    const listed = { ...version, ...download, ...each.listed } as PackageVersion;
    const kept = Object.fromEntries(Object.entries(listed).filter(([, value]) => value !== undefined));
    const known = packages.get(identifier);
    packages.set(identifier, { ...about, versions: [...(known?.versions ?? []), kept as PackageVersion] });
  }
  const [all, brand] = [[...packages.values()], options.brand ?? "tool"];
  if (!options.byVersion) return putPackages(server, writePackages(all, brand), options);
  const lists = writeLists(all, brand);
  return putPackages(server, lists[1], options, lists[2]);
}

export function putPackages(
  server: FileServer,
  bytes: Buffer,
  options: RepositoryOptions = {},
  second?: Buffer,
): string {
  const { name = "Tools", brand = "tool", updateTimestamp = 1_800_000_000, sign } = options;
  const put = (path: string, list: Buffer) => {
    server.files.set(path, list);
    return { url: server.url + path, sha256: sha256Of(list), size: list.length };
  };
  const file = put("/packages.json", bytes);
  const newer = second && put("/packages-v2.json", second);
  const statement: IndexStatement | undefined = sign && {
    format: "backplane-index-1",
    ...{ name, brand, counter: sign.counter, issued: sign.issued },
    expires: sign.expires ?? sign.issued + SIGNING_LIMITS.lifeS,
    packages: { sha256: file.sha256, size: file.size },
    ...(newer ? { packages_v2: { sha256: newer.sha256, size: newer.size } } : {}),
    keys: [publicKeyOf(sign.key)],
  };
  const signed = statement && sign && signIndex(statement, [sign.key, ...(sign.alsoSignedBy ?? [])]);
  const parts = { name, brand, packages: file, updateTimestamp, signed };
  server.files.set("/repository.json", writeRepository(parts));
  if (newer) {
    const inV2 = writeRepository({ ...parts, packages: newer, schemaVersion: 2 });
    server.instead.set("/repository.json", (request, response) => {
      const wantsV2 = request.headers.accept?.startsWith(SCHEMA_V2_MEDIA_TYPE);
      serveFile(wantsV2 ? inV2 : server.files.get("/repository.json"), request, response);
    });
  }
  return `${server.url}/repository.json`;
}
