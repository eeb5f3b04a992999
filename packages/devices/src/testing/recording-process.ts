import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { openDatabase } from "@backplane/kit/database";
import { createModel } from "../model/model.ts";
import { createMemory } from "../recordings/memory.ts";
import { openRecordings } from "../recordings/recordings.ts";
import type { DevicesTables } from "../tables.ts";
import { thermometer } from "./devices.ts";

/**
 * A process that records until it is killed, and prints how many samples it has said to be written; and why, when it ends by
 * itself. Arguments: its home, and how long the text in each sample is.
 */
const [home = "", textLength = "16"] = process.argv.slice(2);
const now = Date.now;
const onFault = (error: unknown) => void writeSync(2, `${String(error)}\n`);
const database = await openDatabase<DevicesTables>({ url: undefined, home, onLostConnection: onFault });
const settings = { projectsFolder: home, recordingsMaxBytes: 1e9 } as Parameters<typeof openRecordings>[0]["settings"];
const model = createModel({ now, onFault });
const memory = createMemory(model, { now, onFault });
model.declare("homie", thermometer());
const recorder = openRecordings({ database, settings, now, note: () => {}, onFault }).hold("w", {
  model,
  memory,
});
recorder.onChange((news) => {
  // Told right after a chunk was written.
  if ("recording" in news) writeSync(1, `${news.recording.reason ?? news.recording.messages}\n`);
});
await recorder.start({ by: "ada" });
let value = 0;
setInterval(() => {
  for (let i = 0; i < 5; i += 1) {
    model.sample("oven", "heat", { temperature_c: value, note: randomBytes(Number(textLength) / 2).toString("hex") });
    value += 1;
  }
}, 20);
