import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createImages } from "../../packages/viewer/src/images/images.ts";
import { suggestNames } from "../../packages/viewer/src/naming/names/suggest-names.ts";
import { openRecogniser } from "../../packages/viewer/src/naming/recognition/recogniser.ts";
import { BenchFault } from "../harness/fault.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { DIALOG_WIDTH, TEXT_SCREENSHOTS } from "./limits.ts";
import { measureAll } from "./measure.ts";
import { findPeer, tesseract } from "./programs.ts";
import { spread, takeScreenshots } from "./screenshots.ts";
import { uploadAt } from "./uploads.ts";

const [OURS, PEER] = ["viewer", "tesseract"];
const AT_MOST_ITS_TIME_FOR_A_NAME = 2;

/** The words of a screenshot, compared with Debian's program on the same file. */
export async function text(session: Session): Promise<void> {
  const title = "Viewer, text of a screenshot";
  const recogniseWithPeer = await findPeer(tesseract);
  using screenshots = await takeScreenshots(session, title, (specs) =>
    spread(
      specs.filter(({ kind }) => kind !== "wordless"),
      TEXT_SCREENSHOTS,
    ),
  );
  const { folder, all } = screenshots;
  const images = createImages();
  const files: string[] = [];
  for (const { path } of all) files.push((await images.prepare(uploadAt(path))).optimized.path);
  const recogniser = openRecogniser();
  await recogniser.warm();
  const output = join(folder, "words");
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, PEER],
    measure: (label) =>
      measureAll(files, async (path) => ({
        run: async () => {
          if (label === PEER) return recogniseWithPeer([path, output, "-l", "eng"]);
          const { lines } = await recogniser.recognise(path);
          if (lines.length === 0) throw new BenchFault(`There is no text in ${path}.`);
        },
      })),
  });
  session.report({
    title,
    description: `${files.length} screenshots of different kinds one after the other; ours with a warm engine`,
    unit: "screenshots",
    ours: OURS,
    peers: [PEER],
    rounds,
    measures: ["per s"],
    targets: [{ measure: "per s", peer: PEER, atLeast: 1 }],
  });
  await recogniser.close();
  await images.close();
}

/** From a complete upload of a dialog to its name, compared with the time that the program needs for the words alone. */
export async function name(session: Session): Promise<void> {
  const title = "Viewer, first name of a dialog";
  const recogniseWithPeer = await findPeer(tesseract);
  using screenshots = await takeScreenshots(session, title, (specs) =>
    specs.filter(({ kind, width }) => kind === "dialog" && width <= DIALOG_WIDTH),
  );
  const { folder, all } = screenshots;
  const images = createImages();
  const recogniser = openRecogniser();
  await recogniser.warm();
  const output = join(folder, "words");
  const rounds = await runRounds(session, {
    title,
    labels: [OURS, PEER],
    measure: (label) =>
      measureAll(all, async ({ path }) => ({
        run: async () => {
          if (label === PEER) return recogniseWithPeer([path, output, "-l", "eng"]);
          const { optimized } = await images.prepare(uploadAt(path));
          const [best] = suggestNames(await recogniser.recognise(optimized.path));
          if (best === undefined) throw new BenchFault(`There is no name for ${path}.`);
        },
        after: async () => {
          await Promise.all(["optimized", "original"].map((file) => rm(`${path}-${file}.png`, { force: true })));
        },
      })),
  });
  session.report({
    title,
    description: `${all.length} dialogs one after the other: decoded, saved, recognised, named`,
    unit: "names",
    ours: OURS,
    peers: [PEER],
    rounds,
    measures: ["per s"],
    targets: [{ measure: "per s", peer: PEER, atLeast: 1 / AT_MOST_ITS_TIME_FOR_A_NAME }],
  });
  await recogniser.close();
  await images.close();
}
