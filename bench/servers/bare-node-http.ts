// The baseline: node:http with the minimum that gives the same answers, without a validator.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { storedNote } from "./note.ts";

type NoteBody = { title: string; max_age: number; tags: string[] };

function isNoteBody(value: unknown): value is NoteBody {
  if (typeof value !== "object" || value === null) return false;
  const { title, max_age, tags, ...others } = value as Record<string, unknown>;
  if (typeof title !== "string" || title.length < 1 || title.length > 200) return false;
  if (!Number.isInteger(max_age) || Number(max_age) < 1 || Number(max_age) > 86_400) return false;
  if (!Array.isArray(tags) || tags.length > 10) return false;
  return tags.every((tag) => typeof tag === "string" && tag.length <= 50) && Object.keys(others).length === 0;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function takeNote(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (isNoteBody(body)) send(response, 201, { id: 7, title: body.title, tags: body.tags });
    else send(response, 422, { title: "invalid" });
  });
}

createServer((request, response) => {
  if (request.method === "GET" && request.url === "/note") send(response, 200, storedNote);
  else if (request.method === "POST" && request.url === "/notes") takeNote(request, response);
  else send(response, 404, { title: "not found" });
}).listen(Number(process.env.PORT), "127.0.0.1");
