import { createHash } from "node:crypto";
import {
  EditedSchematic,
  EditSchematic,
  SCHEMATIC_PICTURE,
  SchematicPicture,
  SchematicPictureQuery,
  SchematicView,
  WorkspaceParams,
} from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { contentHeaders } from "../files/content-headers.ts";
import { expectPath } from "../files/file-path.ts";
import { createOneWriter } from "../files/one-writer.ts";
import { checkPrecondition } from "../files/preconditions.ts";
import { refuseMore } from "../files/routes.ts";
import { about, aboutReading, CHANGING, CURRENT, READING } from "../route-options.ts";
import type { Services, Workspace } from "../services.ts";
import { type Drawn, type Edited, type OpenText, openDesk } from "./desk.ts";
import { finishPicture } from "./picture.ts";
import { readProjectText } from "./project-text.ts";

const ONE = `${CURRENT}/schematics/*`;
const Params = Type.Object({ ...WorkspaceParams.properties, "*": Type.String({ examples: ["board.kicad_sch"] }) });
const PROBLEMS = [
  "file-name-refused",
  "file-unknown",
  "file-changed",
  "payload-too-large",
  "schematic-refused",
] as const;

/** …/current/schematics: KiCad files of the project, for programs. */
export function serveSchematics(
  app: App,
  { workspaces, files, usage, log, bus }: Pick<Services, "workspaces" | "files" | "usage" | "log" | "bus">,
): void {
  const oneWriter = createOneWriter(bus.claims);
  const desk = openDesk();
  app.addHook("onClose", desk.close);
  const opener =
    (workspace: Workspace): OpenText =>
    async (path) =>
      (await readProjectText(files, workspace, expectPath(path).path))?.text;

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
          "All edits are made, one after the other, or none. `etag` is that of the file that you read: a file that somebody else has changed since is not touched.",
          [...PROBLEMS, "quota-reached", "too-many-requests"],
        ),
        ...{ params: Params, body: EditSchematic, response: { 200: EditedSchematic } },
      },
    },
    async (request) => {
      const { workspace, caller } = await workspaces.open(request);
      const { path } = expectPath(request.params["*"]);
      const { etag, edits } = request.body;
      const folder = files.folderOf(workspace);
      const root = request.body.root === undefined ? path : expectPath(request.body.root).path;
      const write = async (name: string, text: string, before: { size: number } | undefined) => {
        const bytes = Buffer.from(text);
        const more = bytes.length - (before?.size ?? 0);
        if (before === undefined || more > 0) await refuseMore(folder, { files: before ? 0 : 1, bytes: more });
        await usage.changing(workspace.ownerId, more, () => files.write(workspace, name, bytes));
        return `"${createHash("sha256").update(bytes).digest("hex")}"`;
      };
      const saved = await desk.inTurn(caller.userId, (work) =>
        oneWriter(folder, path, async () => {
          const before = await expectText(workspace, path);
          checkPrecondition({ kind: "is", tags: [etag] }, before.etag);
          const read = new Map<string, string | undefined>();
          const open = async (name: string) => {
            const found = await readProjectText(files, workspace, expectPath(name).path);
            read.set(name, found?.etag);
            return found?.text;
          };
          const done = await work({ do: "edit", path, root, text: before.text, edits }, open);
          const { texts, ...edited } = JSON.parse(done) as Edited;
          const others: { path: string; etag: string }[] = [];
          // The sheet itself comes last: a file that nothing names yet does no harm.
          for (const [name, text] of texts) {
            if (name === path) continue;
            const written = await oneWriter(folder, name, async () => {
              const now = await readProjectText(files, workspace, expectPath(name).path);
              if (now?.etag !== read.get(name))
                throw new Problem("file-changed", { detail: `Somebody else has changed ${name}. Read it again.` });
              return write(name, text, now);
            });
            others.push({ path: name, etag: written });
          }
          const text = new Map(texts).get(path);
          return { ...edited, others, etag: text === undefined ? before.etag : await write(path, text, before) };
        }),
      );
      log.note(
        workspace.id,
        "info",
        "files",
        `${path} edited by ${caller.userName}: ${edits.map((edit) => edit.do).join(", ")}`,
      );
      return { path, ...saved };
    },
  );
}
