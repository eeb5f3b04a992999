// Fastify with its defaults, and the same routes and schemas.
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { fastify } from "fastify";
import { noteAnswer, noteBody, storedNote } from "./note.ts";

const app = fastify().withTypeProvider<TypeBoxTypeProvider>();
app.get("/note", { schema: { response: { 200: noteAnswer } } }, async () => storedNote);
app.post("/notes", { schema: { body: noteBody, response: { 201: noteAnswer } } }, async ({ body }, reply) => {
  reply.code(201);
  return { id: 7, title: body.title, tags: body.tags };
});
await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
