// What the strip says about an upload and about a screenshot.
import { bytesInWords, momentInWords, pixelsInWords, timeInWords } from "./format.js";

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
