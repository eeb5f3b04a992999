import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { createImages } from "../../packages/viewer/src/images/images.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { SQUEEZE_SCREENSHOTS } from "./limits.ts";
import { measureAll } from "./measure.ts";
import { findPeer, optipng } from "./programs.ts";
import { spread, takeScreenshots } from "./screenshots.ts";
import { uploadAt } from "./uploads.ts";

const [OURS, PEER] = ["viewer", "optipng -o2"];
const AT_MOST_ITS_SIZE = 0.92;
const AT_MOST_ITS_TIME = 0.75;

/** The background pass. optipng gets the same pixels uncompressed, so that the result is its own work. */
export async function squeeze(session: Session): Promise<void> {
  const title = "Viewer, squeeze";
  const optimize = await findPeer(optipng);
  using screenshots = await takeScreenshots(session, title, (specs) => spread(specs, SQUEEZE_SCREENSHOTS));
  const { folder, all } = screenshots;
  const images = createImages();
  const files: { optimized: string; bytes: number; plain: string }[] = [];
  for (const { path } of all) {
    const { optimized } = await images.prepare(uploadAt(path));
    const plain = `${path}-plain.png`;
    await sharp(optimized.path).toColourspace("srgb").png({ compressionLevel: 0 }).toFile(plain);
    files.push({ optimized: optimized.path, bytes: optimized.bytes, plain });
  }
  const target = join(folder, "target.png");
  const after = () => rm(target, { force: true });
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, PEER],
    measure: (label) =>
      measureAll(files, async ({ optimized, bytes, plain }) =>
        label === OURS
          ? { run: async () => (await images.squeeze(optimized, target))?.bytes ?? bytes, after }
          : {
              run: async () => {
                await optimize(["-quiet", "-o2", "-out", target, plain]);
                return (await stat(target)).size;
              },
              after,
            },
      ),
  });
  session.report({
    title,
    description: `${all.length} screenshots of every kind one after the other, pixels compared`,
    unit: "screenshots",
    ours: OURS,
    peers: [PEER],
    rounds,
    measures: ["bytes each", "per s"],
    targets: [
      { measure: "bytes each", peer: PEER, atMost: AT_MOST_ITS_SIZE },
      { measure: "per s", peer: PEER, atLeast: 1 / AT_MOST_ITS_TIME },
    ],
  });
  await images.close();
}
