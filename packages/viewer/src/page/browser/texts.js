// Numbers and sentences that the page shows.
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

// What follows the name in the optimized file's name.
export const endingOf = ({ optimized: { width, height } }) => `-${width}x${height}.png`;

// The optimized file's size in percent of the original's; undefined when both are the same.
export function percentOf({ optimized, original }) {
  if (optimized.width === original.width && optimized.bytes === original.bytes) return undefined;
  return Math.max(1, Math.round((100 * optimized.bytes) / original.bytes));
}

const clockTime = (at) => at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
const isSameDay = (at, other) => at.toDateString() === other.toDateString();

export function momentInWords(at, now) {
  if (isSameDay(at, now)) return `at ${clockTime(at)}`;
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} at ${clockTime(at)}`;
}

// 14:31, yesterday, 7 Aug, 7 Aug 2025
export function dayInWords(at, now) {
  if (isSameDay(at, now)) return clockTime(at);
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (isSameDay(at, yesterday)) return "yesterday";
  const year = at.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year });
}

const SENDING_SHOWS_AFTER_MS = 300;

export function uploadInWords({ stage, bytes, sentBytes, startedMs }, { nowMs, waiting }) {
  const others = waiting > 0 ? `, ${waiting} more to come` : "";
  if (stage === "kept") return "Not saved yet";
  if (stage === "saving") return `Saving${others}`;
  if (stage === "waiting" || nowMs - startedMs < SENDING_SHOWS_AFTER_MS) return `Sending${others}`;
  const percent = bytes === 0 ? 0 : Math.min(100, Math.floor((100 * sentBytes) / bytes));
  return `Sending ${bytesInWords(bytes)}, ${percent} %${others}`;
}

// Browsers give this name to a copied image that is not a file.
const NO_NAME = /^(image\.\w+)?$/;

function imageInWords({ image, pixels }) {
  if (!NO_NAME.test(image.name ?? "")) return image.name;
  return pixels ? `The ${pixelsInWords(pixels)} image` : "The earlier image";
}

// The images that wait for another try, for a message about them. Undefined when it is just the one shown.
export function keptInWords(jobs, shownJob) {
  if (jobs.length > 1) return { who: `${jobs.length} images`, areMany: true };
  const [job] = jobs;
  return job === undefined || job === shownJob ? undefined : { who: imageInWords(job), areMany: false };
}

// `timing`: how long saving and naming took; only known for screenshots that were pasted into this page.
export function outcomeInWords({ status, namedBy, pastedAt }, { timing, now, isRenamed }) {
  if (isRenamed) return "Renamed both files";
  if (timing === undefined) {
    const moment = `Pasted ${momentInWords(new Date(pastedAt), now)}`;
    return status === "naming" ? `${moment}, naming …` : moment;
  }
  const saved = `Saved in ${timeInWords(timing.savedMs)}`;
  if (status === "naming") return `${saved}, naming …`;
  if (namedBy === null) return `${saved}, but no text was found to name it`;
  if (namedBy === "you" || timing.namedMs === undefined) return `${saved}, and named`;
  return `Saved and named in ${timeInWords(timing.namedMs)}`;
}

// Below the field; also explains why the button is disabled.
export function nameHint({ value, shownName, name, status, namedBy }) {
  if (value.trim() === "") return "A name needs a letter or a digit.";
  if (value !== name && shownName !== name) return `It was just named ${name}. Yours will replace that.`;
  if (value !== name) return "";
  if (namedBy === "you") return "Both files have this name.";
  if (status === "naming") return "Looking for a name. If you type one, yours is used.";
  return namedBy === null ? "This name is only the time. Type a better one." : "Both files have this name.";
}

// Names like this cannot be typed, so a rename from one cannot be undone.
export const isFirstName = (name) => /^sp-\d/.test(name);

// Also true with a number at the end, which a name gets when others have it.
export const isNamedAfter = (name, suggestion) =>
  name === suggestion || (name.startsWith(`${suggestion}-`) && /^\d+$/.test(name.slice(suggestion.length + 1)));
