// Numbers as people read them.
const UNITS = ["bytes", "KB", "MB", "GB"];

// 512 bytes, 214 KB, 1.1 MB, 32 MB
export function bytesInWords(bytes) {
  let value = bytes;
  let unit = 0;
  // 1,023.7 KB would read as 1,024 KB: that is 1 MB.
  while (Math.round(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const isShort = unit > 1 && value < 9.95;
  return `${isShort ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${UNITS[unit]}`;
}

// 0.4 s, 12 s, 2 min
export function timeInWords(ms) {
  if (ms < 9_950) return `${Math.max(0.1, ms / 1_000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

export const fileNameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

export const pixelsInWords = ({ width, height }) => `${width} × ${height}`;

// What follows the name of the optimized file.
export const endingOf = ({ optimized: { width, height } }) => `-${width}x${height}.png`;

// Of the optimized file, what it is of the original one; undefined when nothing was done to it.
export function percentOf({ optimized, original }) {
  if (optimized.width === original.width && optimized.bytes === original.bytes) return undefined;
  return Math.max(1, Math.round((100 * optimized.bytes) / original.bytes));
}

export function momentInWords(at, now) {
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (at.toDateString() === now.toDateString()) return `at ${time}`;
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} at ${time}`;
}

// What the strip says about an upload and about a screenshot.

const SENDING_SHOWS_AFTER_MS = 300;

export function uploadInWords({ stage, bytes, sentBytes, startedMs }, { nowMs, waiting }) {
  const others = waiting > 0 ? `, ${waiting} more to come` : "";
  if (stage === "kept") return "Not saved yet";
  if (stage === "saving") return `Saving${others}`;
  if (stage === "waiting" || nowMs - startedMs < SENDING_SHOWS_AFTER_MS) return `Sending${others}`;
  const percent = bytes === 0 ? 0 : Math.min(100, Math.floor((100 * sentBytes) / bytes));
  return `Sending ${bytesInWords(bytes)}, ${percent} %${others}`;
}

// What browsers call an image that was copied without a file.
const NO_NAME = /^(image\.\w+)?$/;

function imageInWords({ image, pixels }) {
  if (!NO_NAME.test(image.name ?? "")) return image.name;
  return pixels ? `The ${pixelsInWords(pixels)} image` : "The earlier image";
}

// Of the images that wait to be sent again, those a note is about. Undefined: the one that is shown.
export function keptInWords(jobs, shownJob) {
  if (jobs.length > 1) return { who: `${jobs.length} images`, areMany: true };
  const [job] = jobs;
  return job === undefined || job === shownJob ? undefined : { who: imageInWords(job), areMany: false };
}

// `timing`: of one that was pasted in this page, how long it took from the key to "saved" and to "named".
export function outcomeInWords({ status, namedBy, pastedAt }, { timing, now, isRenamed }) {
  if (isRenamed) return "Renamed both files";
  if (timing === undefined) {
    const moment = `Pasted ${momentInWords(new Date(pastedAt), now)}`;
    return status === "naming" ? `${moment}, naming …` : moment;
  }
  const saved = `Saved in ${timeInWords(timing.savedMs)}`;
  if (status === "naming") return `${saved}, naming …`;
  if (namedBy === null) return `${saved}, with nothing in it to name it by`;
  if (namedBy === "you" || timing.namedMs === undefined) return `${saved}, and named`;
  return `Saved and named in ${timeInWords(timing.namedMs)}`;
}

// Below the field; says why the button beside it does nothing.
export function nameHint({ value, shownName, name, status, namedBy }) {
  if (value.trim() === "") return "A name needs a letter or a digit.";
  if (value !== name && shownName !== name) return `Named ${name} meanwhile. Yours replaces it.`;
  if (value !== name) return "";
  if (namedBy === "you") return "Both files have this name.";
  if (status === "naming") return "A name is looked for. Yours wins if you type one.";
  return namedBy === null ? "Its first name, after the time. Type a better one." : "Both files have this name.";
}

// Nobody may give a name like the first one, so there is no way back to it.
export const isFirstName = (name) => /^sp-\d/.test(name);

// A taken name gets a number, and is still the one that was suggested.
export const isNamedAfter = (name, suggestion) =>
  name === suggestion || (name.startsWith(`${suggestion}-`) && /^\d+$/.test(name.slice(suggestion.length + 1)));
