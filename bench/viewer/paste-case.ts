import { link, rm } from "node:fs/promises";
import { join } from "node:path";
import { MAX_DIMENSION, PNG_COMPRESSION_LEVEL } from "@backplane/contract/viewer";
import { createImages } from "../../packages/viewer/src/images/images.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { measureAll } from "./measure.ts";
import { findPeer, imageMagick } from "./programs.ts";
import { type Screenshot, takeScreenshots } from "./screenshots.ts";
import { uploadAt } from "./uploads.ts";

const [OURS, PEER] = ["viewer", "ImageMagick"];
const AT_LEAST_TIMES_AS_FAST = 4;

/** From a complete upload to both files on disk, compared with a program that makes the smaller one. */
export async function paste(session: Session): Promise<void> {
  const title = "Viewer, paste to files";
  const convert = await findPeer(imageMagick);
  using screenshots = await takeScreenshots(session, title);
  const { folder, all } = screenshots;
  const images = createImages();
  const upload = join(folder, "upload");
  const made = [upload, `${upload}-optimized.png`, `${upload}-original.png`];
  const ours = async ({ path }: Screenshot) => {
    await link(path, upload);
    return {
      run: () => images.prepare(uploadAt(upload)),
      after: async () => void (await Promise.all(made.map((file) => rm(file)))),
    };
  };
  const target = join(folder, "converted.png");
  const size = `${MAX_DIMENSION}x${MAX_DIMENSION}>`;
  const level = ["-define", `png:compression-level=${PNG_COMPRESSION_LEVEL}`];
  const peer = async ({ path }: Screenshot) => ({
    run: () => convert([path, "-resize", size, ...level, target]),
    after: () => rm(target),
  });
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, PEER],
    measure: (label) => measureAll(all, label === OURS ? ours : peer),
  });
  session.report({
    title,
    description: `${all.length} screenshots one after the other, at most ${MAX_DIMENSION} px, level ${PNG_COMPRESSION_LEVEL}`,
    unit: "screenshots",
    ours: OURS,
    peers: [PEER],
    rounds,
    measures: ["per s"],
    targets: [{ measure: "per s", peer: PEER, atLeast: AT_LEAST_TIMES_AS_FAST }],
  });
  await images.close();
}
