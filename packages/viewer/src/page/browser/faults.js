// Error messages: what went wrong, then the next step. One table, by the viewer's problem code or by a reason found here.
import { bytesInWords } from "./texts.js";

export class ViewerFault extends Error {
  constructor(code, { detail, errors = [], ...facts } = {}) {
    super(detail ?? code);
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.facts = facts;
  }
}

const AGAIN = ({ keys, isTouch }) =>
  isTouch ? "Take the screenshot again, then add it here." : `Take the screenshot again, then press ${keys} here.`;
const TYPES = ({ imageTypes }) => `Use a ${imageTypes}.`;
const SMALLER = ({ isTouch }) => `Make it smaller, then ${isTouch ? "choose" : "drop"} it here.`;
const RELOAD = "Reload it, then paste again.";

// "a little over 32 MB; the limit is 32 MB", not "32 MB; the limit is 32 MB".
function overInWords(bytes, maxBytes) {
  const words = bytesInWords(bytes);
  return words === bytesInWords(maxBytes) ? `a little over ${words}` : words;
}

const FAULTS = {
  "clipboard-text": ["the clipboard holds text, not an image.", AGAIN],
  "clipboard-empty": ["the clipboard is empty.", AGAIN],
  "clipboard-other": ["the clipboard holds no image.", AGAIN],
  "clipboard-refused": [
    "the browser did not let this page read the clipboard.",
    ({ keys, isTouch }) => (isTouch ? "Choose a picture instead." : `Press ${keys} instead.`),
  ],
  "dropped-other": ["what was dropped is not an image.", "Drop an image file, or choose one."],
  "not-images": [({ names }) => `${names} not an image.`, TYPES],
  "some-not-images": [({ names }) => `${names} not an image.`, "The others are being saved."],
  "file-unreadable": ["the file cannot be read.", "Check that it is still there, then choose it again."],
  "too-many-waiting": ["too many images are waiting.", "Wait until they are saved, then paste it again."],
  "file-too-large": [
    ({ bytes, maxBytes }) => `the image has ${overInWords(bytes, maxBytes)}; the limit is ${bytesInWords(maxBytes)}.`,
    SMALLER,
  ],
  "payload-too-large": [
    ({ maxUploadBytes }) => `the image is too large; the limit is ${bytesInWords(maxUploadBytes)}.`,
    SMALLER,
  ],
  "image-too-large": [
    ({ maxPixels }) => `the image has too many pixels; the limit is ${maxPixels / 1_000_000} megapixels.`,
    SMALLER,
  ],
  "not-an-image": ["this is not a supported image.", TYPES],
  "unsupported-media-type": ["this is not a supported image.", TYPES],
  "image-damaged": ["the image is incomplete or damaged.", AGAIN],
  "disk-full": ["the disk is full.", "Free some space, then try again. The image is kept here.", "retry"],
  "folder-refused": [
    "the folder is not writable.",
    "Check its permissions, then try again. The image is kept here.",
    "retry",
  ],
  "too-many-requests": ["the viewer is busy.", "Try again in a moment. The image is kept here.", "retry"],
  "request-timeout": ["sending took too long.", "Try again. The image is kept here.", "retry"],
  "not-ready": ["the viewer is starting or stopping.", "Try again in a moment. The image is kept here.", "retry"],
  "internal-error": ["the viewer failed.", "Try again. The image is kept here. The viewer's log says more.", "retry"],
  unreachable: ["the viewer does not answer.", "Start it, then try again. The image is kept here.", "retry"],
  "host-silent": ["the program that shows this page does not answer.", "Try again. The image is kept here.", "retry"],
  "page-token-needed": ["this page is too old.", RELOAD, "reload"],
  "page-token-wrong": ["this page is too old.", RELOAD, "reload"],
  "other-project": ["this page belongs to another project.", RELOAD, "reload"],
};

const RESULTS = {
  save: "Nothing was saved",
  rename: "The name was not changed",
  remove: "Nothing was removed",
  restore: "It was not put back",
  search: "Nothing was searched",
  list: "No more were listed",
};
const PARTLY = { "some-not-images": "Not all were saved" };
const NOT_YET = "Not saved yet";
const GONE = ["paste-gone", "paste-unknown"];

// `doing`: save, rename, remove, restore, search or list. `limits`: imageTypes, maxUploadBytes, maxPixels.
// Returns `what` and `next`, and an `action` that a button offers: "retry" or "reload".
export function describeFault({ code, detail, facts }, { doing, keys, isTouch = false, limits }) {
  const words = { keys, isTouch, ...limits, ...facts };
  const say = (text) => (typeof text === "function" ? text(words) : text);
  const result = RESULTS[doing];
  if (GONE.includes(code)) {
    return {
      what: `${result}: the files are no longer there.`,
      next: "They were moved or deleted. Paste the image again.",
    };
  }
  const [reason, next, action] = FAULTS[code] ?? [];
  if (reason === undefined) {
    return {
      what: detail ? `${result}. ${detail}` : `${result}: the viewer refused it.`,
      next: "The viewer's log says more.",
    };
  }
  const isAboutImage = doing === "save";
  const step = isAboutImage ? say(next) : say(next).replace(/ The image is kept here\.|, then paste again/g, "");
  // An image that can be sent again is not lost.
  const what = action === "retry" && isAboutImage ? NOT_YET : (PARTLY[code] ?? result);
  return { what: `${what}: ${say(reason)}`, next: step, ...(action === "retry" && !isAboutImage ? {} : { action }) };
}

// Names the images that wait for another try. `kept`: from keptInWords.
export function describeKept(fault, kept) {
  if (fault === undefined || kept === undefined) return fault;
  const { who, areMany } = kept;
  const what = fault.what.replace(NOT_YET, () => `${who} ${areMany ? "are" : "is"} not saved yet`);
  return { ...fault, what, next: areMany ? fault.next.replace("The image is", "The images are") : fault.next };
}

export const canTryAgain = ({ code }) => FAULTS[code]?.[2] === "retry";

// From an answer that is not a success; a proxy may have sent it.
export function faultOf(status, body) {
  if (typeof body?.code === "string") return new ViewerFault(body.code, { detail: body.detail, errors: body.errors });
  if (status === 413) return new ViewerFault("payload-too-large");
  return new ViewerFault(status >= 500 ? "internal-error" : "refused");
}
