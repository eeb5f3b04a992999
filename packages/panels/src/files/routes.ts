import { createHash } from "node:crypto";
import { FileList, PANELS_LIMITS, ProjectFile, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { workspaceRemoved } from "../problems.ts";
import { about, aboutReading, CURRENT } from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";
import { createSpace, receiveBody } from "./arriving.ts";
import { contentHeaders } from "./content-headers.ts";
import { expectPath } from "./file-path.ts";
import { listFiles, removeFile } from "./files.ts";
import { createOneWriter } from "./one-writer.ts";
import { checkPrecondition, readPrecondition } from "./preconditions.ts";

const LIST = `${CURRENT}/files`;
const FileParams = Type.Object({ ...WorkspaceParams.properties, "*": Type.String() });
/** For the API reference: nothing is validated here, as the body is read later. */
const BYTES = Type.Unsafe<unknown>({ format: "binary", description: "The content of the file" });
/** What a change of a file can be answered with. */
const CHANGE_PROBLEMS = [
  ...(["file-name-refused", "file-unknown", "file-changed", "precondition-needed", "invalid-parameter"] as const),
  ...(["payload-too-large", "too-many-requests", "quota-reached"] as const),
];

type FilesDependencies = Pick<Services, "workspaces" | "files" | "usage" | "log" | "bus" | "now">;

/** …/current/files, and each file under it. */
export function serveFiles(app: App, dependencies: FilesDependencies): void {
  const { workspaces, files } = dependencies;

  app.get(
    LIST,
    { schema: { ...aboutReading("Files of the project"), response: { 200: FileList } } },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      reply.header("cache-control", "no-store");
      return listFiles(files.folderOf(workspace));
    },
  );

  app.register(async (scope: App) => {
    // Bodies of any type stay streams: the handler reads them after it has checked access.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));

    scope.get(
      `${LIST}/*`,
      // A strong ETag means exactly these bytes.
      {
        compress: false,
        schema: {
          ...aboutReading("One file, unchanged", undefined, [
            ...(["file-name-refused", "file-unknown", "file-changed", "payload-too-large"] as const),
          ]),
          params: FileParams,
          produces: ["application/octet-stream"],
        },
      },
      async (request, reply) => {
        const { workspace } = await workspaces.open(request);
        const { path } = expectPath(request.params["*"]);
        await using opened = new AsyncDisposableStack();
        const file = await files.open(workspace, path);
        if (!file) throw new Problem("file-unknown");
        opened.use(file);
        const etag = `"${file.sha256}"`;
        reply.headers({ ...contentHeaders(path, file.isText), etag });
        if (namesTag(request.headers["if-none-match"], etag)) return reply.code(304).send();
        reply.headers({ "content-length": file.size, "last-modified": new Date(file.modifiedMs).toUTCString() });
        opened.move();
        return reply.send(file.stream());
      },
    );

    serveFileChanges(scope, dependencies);
  });
}

function serveFileChanges(scope: App, { workspaces, files, usage, log, bus, now }: FilesDependencies): void {
  const oneWriter = createOneWriter(bus.claims);
  const takeSpace = createSpace({ perPerson: maxArrivingFileBytesPerPerson, inAll: maxArrivingFileBytes });

  const current = async (workspace: Workspace, path: string): Promise<{ etag: string; size: number } | undefined> => {
    await using file = await files.open(workspace, path);
    return file && { etag: `"${file.sha256}"`, size: file.size };
  };

  scope.put(
    `${LIST}/*`,
    {
      schema: {
        ...about("Save a file: If-Match with its ETag to change it, If-None-Match: * to create it", undefined, [
          ...CHANGE_PROBLEMS,
          "file-exists",
        ]),
        params: FileParams,
        body: { content: { "application/octet-stream": { schema: BYTES } } },
        response: { 200: ProjectFile, 201: ProjectFile },
      },
    },
    async (request, reply) => {
      const { caller: sender, workspace: begun } = await workspaces.open(request);
      const { path } = expectPath(request.params["*"]);
      const precondition = readPrecondition(request.headers, { mayCreate: true });
      using _space = takeSpace(sender.userId, request.raw, maxFileBytes);
      const bytes = await receiveBody(request.raw, maxFileBytes);
      // That may have taken a minute, in which the caller's access may have ended, or the workspace.
      const { workspace, caller } = await workspaces.open(request, { create: false });
      if (workspace.id !== begun.id) throw workspaceRemoved();
      const folder = files.folderOf(workspace);
      const isNew = await oneWriter(folder, path, async () => {
        const before = await current(workspace, path);
        checkPrecondition(precondition, before?.etag);
        const more = bytes.length - (before?.size ?? 0);
        if (before === undefined || more > 0) await refuseMore(folder, { files: before ? 0 : 1, bytes: more });
        await usage.changing(workspace.ownerId, more, () => files.write(workspace, path, bytes));
        return before === undefined;
      });
      log.note(
        workspace.id,
        "info",
        "files",
        `${path} ${isNew ? "created" : "saved"} by ${caller.userName}, ${bytes.length} bytes`,
      );
      reply.code(isNew ? 201 : 200).headers({ etag: etagOf(bytes), "cache-control": "no-store" });
      return { path, size: bytes.length, modifiedAt: new Date(now()).toISOString() } satisfies ProjectFile;
    },
  );

  scope.delete(
    `${LIST}/*`,
    {
      schema: {
        ...about("Delete a file: If-Match with its ETag", undefined, CHANGE_PROBLEMS),
        params: FileParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const { path } = expectPath(request.params["*"]);
      const precondition = readPrecondition(request.headers, { mayCreate: false });
      const folder = files.folderOf(workspace);
      await oneWriter(folder, path, async () => {
        const before = await current(workspace, path);
        if (before === undefined) throw new Problem("file-unknown");
        checkPrecondition(precondition, before.etag);
        await usage.changing(workspace.ownerId, -before.size, () => removeFile(folder, path));
      });
      log.note(workspace.id, "info", "files", `${path} deleted by ${caller.userName}`);
      return reply.code(204).header("cache-control", "no-store").send(null);
    },
  );
}

const etagOf = (bytes: Uint8Array): string => `"${createHash("sha256").update(bytes).digest("hex")}"`;

/** If-None-Match compares weakly (RFC 9110, 13.1.2). */
const namesTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag));

const { maxFileBytes, maxFilesListed, maxProjectBytes } = PANELS_LIMITS;
const { maxArrivingFileBytesPerPerson, maxArrivingFileBytes } = PANELS_LIMITS;

/** A project has at most as many files as a listing shows, and a limited size in total. */
export async function refuseMore(folder: string, more: { files: number; bytes: number }): Promise<void> {
  const { files, truncated } = await listFiles(folder);
  if (more.files > 0 && (truncated || files.length + more.files > maxFilesListed)) {
    throw new Problem("too-many-of-these", {
      detail: `A project has at most ${maxFilesListed} files here. Delete some first.`,
    });
  }
  if (files.reduce((sum, { size }) => sum + size, more.bytes) <= maxProjectBytes) return;
  throw new Problem("too-many-of-these", {
    detail: `The files of a project have at most ${Math.floor(maxProjectBytes / 1_048_576)} MB together. Delete some first.`,
  });
}
