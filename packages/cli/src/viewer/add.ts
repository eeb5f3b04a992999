import { open } from "node:fs/promises";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { badInput } from "../connect/refusal.ts";
import { plain, sizeOf } from "../pkg/words.ts";
import { SHAPES } from "../terminal.ts";
import type { ViewerFlags } from "./settings.ts";
import { withViewer } from "./with-viewer.ts";

type AddFlags = ViewerFlags & { title?: string };

/** A command ends: what has no name by then keeps its first one until the viewer runs again. */
const NAMED_WITHIN_MS = 60_000;

export const add = (host: NodeJS.Process, file: string, options: AddFlags): Promise<number> =>
  withViewer(host, options, async ({ access, out, answer }) => {
    const image = file === "-" ? await readAll(host.stdin) : await readFile(file);
    if (image === undefined) {
      return badInput("file-unreadable", `${plain(file)} cannot be read.\nCheck the path, and that it is a file.`);
    }
    if (image.length === 0)
      return badInput("file-empty", `${file === "-" ? "What is piped in" : plain(file)} is empty.`);
    if (image === "too-large") {
      return badInput(
        "image-too-large",
        `It is larger than ${sizeOf(VIEWER_LIMITS.maxUploadBytes)}.\nCrop it, then try again.`,
      );
    }
    const { id } = await access.paste(image, options.title);
    if (out.isInteractive && options.json !== true) out.line(out.paint("off", "  Saved. Looking for a name …"));
    const paste = await access.named(id, AbortSignal.timeout(NAMED_WITHIN_MS));
    answer(paste, () => {
      for (const { path, width, height, bytes } of [paste.optimized, paste.original]) {
        out.line(
          `${out.paint("ok", SHAPES.ok)} ${path}  ${out.paint("off", `${width} × ${height}, ${sizeOf(bytes)}`)}`,
        );
      }
      if (paste.namedBy === null) {
        out.line(out.paint("off", "  Nothing in it could be read. Name it with: backplane viewer rename"));
      }
    });
    return undefined;
  });

type Read = Buffer | "too-large" | undefined;

async function readFile(path: string): Promise<Read> {
  try {
    await using file = await open(path);
    const facts = await file.stat();
    if (!facts.isFile()) return undefined;
    return facts.size > VIEWER_LIMITS.maxUploadBytes ? "too-large" : await file.readFile();
  } catch {
    return undefined;
  }
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Read> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > VIEWER_LIMITS.maxUploadBytes) return "too-large";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
