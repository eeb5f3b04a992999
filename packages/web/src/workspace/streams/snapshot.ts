import { faultWords } from "../../calls/fault-words.ts";
import type { WorkspaceName } from "../calls.ts";
import { writeFile } from "../panels/project-files/file-calls.ts";
import { askForHls, endHls } from "./hls-player.ts";

const two = (part: number): string => String(part).padStart(2, "0");

/** A name that says when, by this browser's clock, to the second. */
const capturePath = (stream: string, at: Date, ending: "png" | "mp4"): string =>
  `captures/${stream}-${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}.${ending}`;

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
  return save(workspace, capturePath(stream, new Date(), "png"), new Uint8Array(await blob.arrayBuffer()));
}

/** The last minute, as a file of the project. `path`: of the stream. */
export async function saveMinute(
  workspace: WorkspaceName,
  stream: string,
  path: string,
): Promise<{ path: string } | { fault: string }> {
  const answer = await askForHls(path);
  if (!answer.ok) return { fault: answer.fault.detail ?? faultWords(answer.fault) };
  const { playlist } = answer.value;
  try {
    const pieces = await minuteOf(new URL(playlist, location.href));
    if ("fault" in pieces) return pieces;
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
    return await save(workspace, capturePath(stream, new Date(), "mp4"), bytes);
  } catch {
    return { fault: "The last minute could not be fetched. Try again." };
  } finally {
    endHls(playlist);
  }
}

async function minuteOf(playlist: URL): Promise<ArrayBuffer[] | { fault: string }> {
  const lines = (await (await fetch(playlist)).text()).split("\n");
  // Pictures before a change of the camera's settings need other parameters: what came after it is kept.
  const start = lines.findLastIndex((line) => line.startsWith("#EXT-X-MAP:"));
  const init = /URI="([^"]*)"/.exec(lines[start] ?? "")?.[1];
  if (init === undefined) return { fault: "This stream is not MP4, so its last minute cannot be kept as one file." };
  const pieces: ArrayBuffer[] = [];
  for (const name of [init, ...lines.slice(start).filter((line) => line !== "" && !line.startsWith("#"))]) {
    const piece = await fetch(new URL(name, playlist));
    // The oldest part may be forgotten meanwhile.
    if (piece.ok) pieces.push(await piece.arrayBuffer());
  }
  return pieces;
}

async function save(
  workspace: WorkspaceName,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ path: string } | { fault: string }> {
  const written = await writeFile(workspace, path, bytes, "absent");
  if (written.kind === "written") return { path };
  // The second one within a second: the first has the same picture.
  if (written.kind === "changed") return { path };
  return { fault: faultWords(written.fault) };
}
