// To the clipboard. A sandboxed frame has no clipboard of its own to write to, but may copy what is selected in it.
// Asked for before it is tried: a browser complains of each attempt.
import { isFramed, partOf, sayCopied, setText } from "./elements.js";

const mayWrite = () => document.featurePolicy?.allowsFeature("clipboard-write") !== false;

export async function copyText(text) {
  if (!mayWrite()) return copySelected(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text) {
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.className = "sr";
  area.setAttribute("aria-hidden", "true");
  area.value = text;
  document.body.append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand("copy");
  } catch {
    // Told by what is returned.
  }
  area.remove();
  before?.focus({ preventScroll: true });
  return isCopied;
}

// `picture`: a promise, so that the click still counts when the image is there.
export async function copyImage(picture) {
  if (!mayWrite()) return false;
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    return true;
  } catch {
    return false;
  }
}

export async function copyPathFrom(button, path, say) {
  if (!(await copyText(path))) return say(`The browser did not allow it. The path is ${path}`);
  sayCopied(button);
  say("Path copied");
}

// `url`: of the viewer; a window of its own may do what a frame may not.
export async function copyImageFrom(button, picture, { say, url }) {
  const said = partOf(button.closest("article"), "said");
  setText(said, "");
  if (await copyImage(picture)) {
    sayCopied(button);
    return say("Image copied");
  }
  const inFrame = `This frame may not copy images. Open ${url}/screenshot-paste in a window of its own.`;
  setText(
    said,
    isFramed() ? inFrame : "The browser did not allow it. Let this page use the clipboard, then try again.",
  );
}
