import {
  EditedSchematic,
  EditSchematic,
  PANELS_LIMITS,
  SavedSchematics,
  SaveSchematics,
  SCHEMATIC_LIMITS,
  SCHEMATIC_PICTURE,
  SchematicPicture,
  SchematicPictureQuery,
  SchematicView,
  WorkspaceParams,
} from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { createSpace } from "../files/arriving.ts";
import { contentHeaders } from "../files/content-headers.ts";
import { expectPath } from "../files/file-path.ts";
import { createOneWriter } from "../files/one-writer.ts";
import { checkPrecondition } from "../files/preconditions.ts";
import { about, aboutReading, CHANGING, CURRENT, READING } from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";
import { type Drawn, type Edited, type OpenText, openDesk, type Wanted } from "./desk.ts";
import { finishPicture } from "./picture.ts";
import { readProjectText } from "./project-text.ts";
import { refused } from "./refused.ts";
import { type Change, createSaveTogether } from "./save-together.ts";

const ONE = `${CURRENT}/schematics/*`;
const Params = Type.Object({ ...WorkspaceParams.properties, "*": Type.String({ examples: ["board.kicad_sch"] }) });
/** All sheets of a design, with every second character escaped. */
const MAX_SAVE_BYTES = 2 * SCHEMATIC_LIMITS.maxDesignBytes;
const { maxArrivingFileBytesPerPerson, maxArrivingFileBytes } = PANELS_LIMITS;
const PROBLEMS = [
  "file-name-refused",
  "file-unknown",
  "file-changed",
  "payload-too-large",
  "schematic-refused",
] as const;

type SchematicsDependencies = Pick<Services, "workspaces" | "files" | "usage" | "log" | "bus" | "libraryPackages">;

/** …/current/schematics: KiCad files of the project, for programs. */
export function serveSchematics(
  app: App,
  { workspaces, files, usage, log, bus, libraryPackages }: SchematicsDependencies,
): void {
  const saveTogether = createSaveTogether({ files, usage }, createOneWriter(bus.claims));
  const takeSpace = createSpace({ perPerson: maxArrivingFileBytesPerPerson, inAll: maxArrivingFileBytes });
  const desk = openDesk();
  app.addHook("onClose", desk.close);
  const opener =
    (workspace: Workspace): OpenText =>
    async (wanted) =>
      typeof wanted === "string" ? (await readProjectText(files, workspace, expectPath(wanted).path))?.text : undefined;

  async function expectText(workspace: Workspace, path: string) {
    const found = await readProjectText(files, workspace, path);
    if (!found) throw new Problem("file-unknown");
    return found;
  }

  app.get(
    ONE,
    {
      ...READING,
      schema: {
        ...aboutReading("Symbols, nets and findings of a KiCad schematic with its sheets", undefined, PROBLEMS),
        ...{ params: Params, response: { 200: SchematicView } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const { path } = expectPath(request.params["*"]);
      const shown = await desk.inTurn(caller.userId, async (work) => {
        const { text, etag } = await expectText(workspace, path);
        return work({ do: "view", path, text, etag }, opener(workspace));
      });
      return reply.type("application/json; charset=utf-8").send(shown as never);
    },
  );

  app.get(
    `${CURRENT}/schematic-pictures/*`,
    {
      ...READING,
      schema: {
        ...aboutReading(
          "A picture of a sheet of a KiCad schematic",
          "The answer is the picture, or JSON with `inline`.",
          PROBLEMS,
        ),
        ...{ params: Params, querystring: SchematicPictureQuery },
        response: {
          200: {
            content: {
              "application/json": { schema: SchematicPicture },
              "image/png": { schema: Type.Any() },
              "image/svg+xml": { schema: Type.Any() },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const { path } = expectPath(request.params["*"]);
      const { format = "png", sheet = "/", pixels = SCHEMATIC_PICTURE.defaultPixels, inline = false } = request.query;
      const { bytes, ...picture } = await desk.inTurn(caller.userId, async (work) => {
        const { text } = await expectText(workspace, path);
        const drawn = await work({ do: "draw", path, text, sheet }, opener(workspace));
        return finishPicture(JSON.parse(drawn) as Drawn, format, pixels);
      });
      const { mimeType } = picture;
      if (inline) return { path, sheet, ...picture, dataUrl: `data:${mimeType};base64,${bytes.toString("base64")}` };
      // An SVG is never shown as a page of this site.
      return reply
        .headers(contentHeaders(`x.${format}`, true))
        .type(mimeType)
        .send(bytes);
    },
  );

  app.post(
    ONE,
    {
      ...CHANGING,
      schema: {
        ...about(
          "Change a sheet of a KiCad schematic",
          "All edits are made, one after the other, or none, also when they change several files. `etag` is that of the file that you read: a file that somebody else has changed since is not touched.",
          [...PROBLEMS, "quota-reached", "too-many-requests", "package-unknown", "archives-unavailable"],
        ),
        ...{ params: Params, body: EditSchematic, response: { 200: EditedSchematic } },
      },
    },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      const { path } = expectPath(request.params["*"]);
      const { etag, edits } = request.body;
      const root = request.body.root === undefined ? path : expectPath(request.body.root).path;
      const saved = await desk.inTurn(caller.userId, async (work) => {
        const before = await expectText(workspace, path);
        checkPrecondition({ kind: "is", tags: [etag] }, before.etag);
        const read = new Map<string, string | undefined>([[path, before.etag]]);
        const open = async (name: Wanted) => {
          if (typeof name !== "string") return libraryPackages.symbols(caller.userId, name.package, name.library);
          const found = await readProjectText(files, workspace, expectPath(name).path);
          read.set(name, found?.etag);
          return found?.text;
        };
        const done = await work({ do: "edit", path, root, text: before.text, edits }, open);
        const { texts, ...edited } = JSON.parse(done) as Edited;
        // The sheet itself comes last: a file that nothing names yet does no harm.
        const changes = texts
          .map(([name, text]) => ({ path: name, text, etag: read.get(name) }))
          .sort((a, b) => Number(a.path === path) - Number(b.path === path));
        const etags = await saveTogether(workspace, changes);
        const tagged = changes.map((change, at) => ({ path: change.path, etag: etags[at] ?? "" }));
        return {
          ...edited,
          others: tagged.filter((change) => change.path !== path),
          etag: tagged.find((change) => change.path === path)?.etag ?? before.etag,
        };
      });
      log.note(
        workspace.id,
        "info",
        "files",
        `${path} edited by ${caller.userName}: ${edits.map((edit) => edit.do).join(", ")}`,
      );
      return { path, ...saved };
    },
  );

  app.put(
    `${CURRENT}/schematics`,
    {
      ...{ ...CHANGING, bodyLimit: MAX_SAVE_BYTES },
      /** Before the body is read: it is in memory until the answer. */
      async preParsing(request, reply) {
        const { caller } = await workspaces.open(request);
        const space = takeSpace(caller.userId, request.raw, MAX_SAVE_BYTES);
        const release = () => space[Symbol.dispose]();
        // The client may have left meanwhile: "close" is not emitted again.
        if (reply.raw.destroyed) release();
        else reply.raw.once("close", release);
      },
      schema: {
        ...about(
          "Save several sheets of KiCad schematics",
          "All are saved, or none: each must still be as you read it. A file that did not exist has the etag null.",
          [
            ...(["file-name-refused", "file-changed", "payload-too-large"] as const),
            ...(["schematic-refused", "quota-reached", "too-many-requests"] as const),
          ],
        ),
        ...{ body: SaveSchematics, response: { 200: SavedSchematics } },
      },
    },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      const changes = request.body.files.map(({ path, text, etag }) => ({ path, text, etag: etag ?? undefined }));
      checkSizes(changes);
      const etags = await saveTogether(workspace, changes);
      const names = changes.map(({ path }) => path).join(", ");
      log.note(workspace.id, "info", "files", `Saved together by ${caller.userName}: ${names}`);
      return { files: changes.map(({ path }, at) => ({ path, etag: etags[at] ?? "" })) };
    },
  );
}

/** Files that could not be read again are not written, and no file has two texts. */
function checkSizes(changes: readonly Change[]): void {
  const { maxSheetBytes, maxDesignBytes } = SCHEMATIC_LIMITS;
  const names = new Set<string>();
  let bytes = 0;
  for (const { path, text } of changes) {
    const size = Buffer.byteLength(text);
    bytes += size;
    if (size > maxSheetBytes)
      throw new Problem("payload-too-large", { detail: `${path} has over ${maxSheetBytes} bytes.` });
    if (bytes > maxDesignBytes)
      throw new Problem("payload-too-large", { detail: `The files up to ${path} have over ${maxDesignBytes} bytes.` });
    if (names.has(path.toLowerCase())) throw refused(`${path} is named twice.`);
    names.add(path.toLowerCase());
  }
}
