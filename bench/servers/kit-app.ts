// The kit's HTTP app with everything a process of ours has: limits, problems, headers, compression, metrics, log, API docs.
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { noteAnswer, noteBody, storedNote } from "./note.ts";

const port = Number(process.env.PORT);
const app = await createApp({
  log: createLog({ process: "bench", level: "info", destination: process.stdout }),
  metrics: createMetrics("bench"),
  now: Date.now,
  readiness: { checks: {}, isDraining: () => false },
  trustProxy: [],
  overHttps: false,
  apiDocs: { title: "Bench", description: "", version: "0", url: `http://127.0.0.1:${port}` },
});
app.get("/note", { schema: { response: { 200: noteAnswer } } }, async () => storedNote);
app.post("/notes", { schema: { body: noteBody, response: { 201: noteAnswer } } }, async ({ body }, reply) => {
  reply.code(201);
  return { id: 7, title: body.title, tags: body.tags };
});
await app.listen({ host: "127.0.0.1", port });
