import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { createLog } from "../../log.ts";
import { createMetrics } from "../../metrics.ts";
import { Problem } from "../../problems.ts";
import { createApp } from "../app.ts";
import type { App } from "../app-type.ts";
import { exampleOf } from "./example.ts";
import type { ApiDocument, Operation } from "./openapi.ts";

async function createTestApp(addRoutes: (app: App) => unknown): Promise<App> {
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    metrics: createMetrics("test"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
    apiDocs: { title: "Test", description: "A test.", version: "1.2.3", url: "http://localhost" },
    onlyDeclaredProblems: true,
  });
  addRoutes(app);
  return app;
}

const Note = Type.Object({
  owner: Type.String(),
  text: Type.String({ minLength: 1 }),
  size: Type.Optional(Type.Integer()),
});

const addNotes = (app: App) =>
  app.put(
    "/notes/:owner",
    {
      schema: {
        summary: "Save a note",
        description: "It replaces the one before.",
        access: "publish",
        problems: ["file-unknown", "too-many-of-these"],
        params: Type.Object({ owner: Type.String() }),
        body: Note,
        response: { 200: Note, 204: Type.Null() },
      },
    },
    async ({ params }) => {
      throw new Problem(params.owner === "ada" ? "file-unknown" : "name-taken");
    },
  );

async function operation(app: App, path: string, method: string): Promise<Operation> {
  const { paths } = (await app.inject("/openapi.json")).json() as ApiDocument;
  const found = paths[path]?.[method];
  assert.ok(found, `${method} ${path}`);
  return found;
}

test("an operation has its description, who may call it, an example, and every problem that its declaration implies", async () => {
  const save = await operation(await createTestApp(addNotes), "/notes/{owner}", "put");
  assert.match(
    save.description ?? "",
    /^It replaces the one before\.\n\nNeeds a session, or an API key with the scope `publish`\.$/,
  );
  assert.deepEqual(save.security, [{ browser: [] }, { session: [] }, { apiKey: ["publish"] }]);
  assert.deepEqual(
    save.parameters?.map(({ name, example }) => [name, example]),
    [["owner", "ada"]],
  );
  assert.deepEqual(save.requestBody?.content["application/json"]?.example, { owner: "ada", text: "text" });
  const codesOf = (status: string) => {
    const answer = save.responses[status];
    assert.ok(answer && !("$ref" in answer), status);
    return Object.keys(answer.content?.["application/problem+json"]?.examples ?? {});
  };
  assert.deepEqual(codesOf("400"), ["invalid-parameter", "malformed-request"]);
  assert.deepEqual(codesOf("401"), ["not-signed-in"]);
  assert.deepEqual(codesOf("403"), ["scope-missing", "foreign-page"]);
  assert.deepEqual(codesOf("404"), ["file-unknown"]);
  assert.deepEqual(codesOf("409"), ["too-many-of-these"]);
  assert.deepEqual(codesOf("422"), ["invalid-input"]);
  assert.deepEqual(save.responses.default, { $ref: "#/components/responses/AnyProblem" });
  const [sample] = save["x-codeSamples"] ?? [];
  assert.match(
    sample?.source ?? "",
    /^curl -X PUT 'http:\/\/localhost\/notes\/ada' \\\n {2}-H "Authorization: Bearer /,
  );
});

test("an example in a schema is shown, whether there is one or several", async () => {
  const note = { owner: "grace", text: "Hello" };
  const addFiles = (app: App) =>
    app.put(
      "/files/:file/:token",
      {
        schema: {
          params: Type.Object({
            file: Type.String({ examples: ["a.png"] }),
            token: Type.String({ examples: ["bpr_1", "bpr_2"] }),
          }),
          body: Type.Object(Note.properties, { examples: [note] }),
          response: { 200: Type.Object(Note.properties, { examples: [note, { owner: "ada", text: "Hi" }] }) },
        },
      },
      async ({ body }) => body,
    );
  const { parameters, requestBody, responses } = await operation(
    await createTestApp(addFiles),
    ...(["/files/{file}/{token}", "put"] as const),
  );
  assert.deepEqual(
    parameters?.map(({ example, examples }) => [example, examples]),
    [
      ["a.png", undefined],
      ["bpr_1", undefined],
    ],
  );
  assert.deepEqual(requestBody?.content["application/json"]?.example, note);
  const answer = responses["200"];
  assert.ok(answer && !("$ref" in answer));
  const media = answer.content?.["application/json"];
  assert.deepEqual([media?.example, Object.values(media?.examples ?? {})[0]?.value], [undefined, note]);
});

test("no answer is without words, and HEAD is not listed", async () => {
  const app = await createTestApp(addNotes);
  const { paths } = (await app.inject("/openapi.json")).json() as ApiDocument;
  assert.ok(!JSON.stringify(paths).includes("Default Response"));
  for (const methods of Object.values(paths)) assert.ok(!("head" in methods));
});

test("a problem that a route does not declare is an error where that is asked for", async () => {
  const app = await createTestApp(addNotes);
  const put = (owner: string) => app.inject({ method: "PUT", url: `/notes/${owner}`, payload: { owner, text: "x" } });
  assert.equal((await put("ada")).statusCode, 404);
  assert.equal((await put("eve")).statusCode, 500);
});

test("requests show what is needed, answers show everything", () => {
  const wholes = [false, true].map((isWhole) => exampleOf(Note, { isWhole }));
  assert.deepEqual(wholes, [
    { owner: "ada", text: "text" },
    { owner: "ada", text: "text", size: 48_213 },
  ]);
});
