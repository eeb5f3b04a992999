import { faultWords } from "../../calls/fault-words.ts";
import type { WorkspaceName } from "../calls.ts";
import { writeFile } from "../panels/project-files/file-calls.ts";

const two = (part: number): string => String(part).padStart(2, "0");

/** A name that says when, by this browser's clock, to the second. */
const snapshotPath = (stream: string, at: Date): string =>
  `captures/${stream}-${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}.png`;

/** The picture that is shown now, as a file of the project. */
export async function saveSnapshot(
  workspace: WorkspaceName,
  stream: string,
  video: HTMLVideoElement,
): Promise<{ path: string } | { fault: string }> {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d")?.drawImage(video, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) return { fault: "There is no picture to save yet." };
  const path = snapshotPath(stream, new Date());
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const written = await writeFile(workspace, path, bytes, "absent");
  if (written.kind === "written") return { path };
  // The second one within a second: the first is the same picture.
  if (written.kind === "changed") return { path };
  return { fault: faultWords(written.fault) };
}
