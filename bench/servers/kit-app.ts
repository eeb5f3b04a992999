// The kit's HTTP app, with a route without authentication.
import { createBenchApp, port } from "./bench-app.ts";
import { noteAnswer, noteBody, storedNote } from "./note.ts";

const app = await createBenchApp();
app.get("/note", { schema: { response: { 200: noteAnswer } } }, async () => storedNote);
app.post("/notes", { schema: { body: noteBody, response: { 201: noteAnswer } } }, async ({ body }, reply) => {
  reply.code(201);
  return { id: 7, title: body.title, tags: body.tags };
});
await app.listen({ host: "127.0.0.1", port });
