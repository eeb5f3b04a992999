import { fork } from "node:child_process";
import { programFile } from "../process/programs.ts";
import type { Painted, Painting, Ready } from "./painter.ts";

/** The size of a drawing of ours: in its first tag, in millimetres. */
const SIZE = / width="([0-9.]{1,20})mm" height="([0-9.]{1,20})mm"/;
/** A drawing of some kilobytes can ask for hours. */
const MAX_PAINT_MS = 15_000;

export interface Png {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/**
 * A drawing of our own as a picture whose longer side has `pixels`. Undefined when the renderer cannot take it, or takes too
 * long. In a process of its own: nothing else ends a renderer that is at work, and what it takes is given back.
 */
export async function svgToPng(svg: string, pixels: number, maxMs = MAX_PAINT_MS): Promise<Png | undefined> {
  const [found, wide, high] = SIZE.exec(svg) ?? [];
  if (found === undefined) return undefined;
  const scale = pixels / Math.max(Number(wide), Number(high));
  const side = (mm: string | undefined) => Math.max(1, Math.round(Number(mm) * scale));
  const sized = svg.replace(found, ` width="${side(wide)}" height="${side(high)}"`);
  return paint({ svg: sized, maxPixels: (pixels + 1) ** 2 }, maxMs);
}

function paint(painting: Painting, maxMs: number): Promise<Png | undefined> {
  const { promise, resolve } = Promise.withResolvers<Png | undefined>();
  const child = fork(programFile("painter"), {
    ...{ execArgv: [], serialization: "advanced", stdio: ["ignore", "ignore", "ignore", "ipc"] },
  });
  let timer: NodeJS.Timeout | undefined;
  child.on("message", (message: Painted | Ready) => {
    if (message === "ready") {
      timer = setTimeout(() => child.kill("SIGKILL"), maxMs);
      // Where that fails, it has ended.
      child.send(painting, () => {});
      return;
    }
    const { picture } = message;
    resolve(picture && { ...picture, bytes: Buffer.from(picture.bytes) });
    child.kill("SIGKILL");
  });
  child.once("error", () => resolve(undefined));
  child.once("exit", () => {
    clearTimeout(timer);
    resolve(undefined);
  });
  return promise;
}
