// Copies paths and images. A sandboxed frame may not write to the clipboard, but can copy a selection.
import { isFramed, partOf, sayCopied, setText } from "./elements.js";

// Checked first, because browsers log each refused attempt.
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
    // The return value says so.
  }
  area.remove();
  before?.focus({ preventScroll: true });
  return isCopied;
}

// `picture`: a promise, because the browser only allows this call directly after a click.
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
  if (!(await copyText(path))) return say(`The browser blocked copying. The path is ${path}`);
  sayCopied(button);
  say("Path copied");
}

// `url`: the viewer's address; in a window of its own the page may copy images.
export async function copyImageFrom(button, picture, { say, url }) {
  const said = partOf(button.closest("article"), "said");
  setText(said, "");
  if (await copyImage(picture)) {
    sayCopied(button);
    return say("Image copied");
  }
  const inFrame = `Images cannot be copied from this frame. Open ${url}/screenshot-paste in its own window.`;
  setText(
    said,
    isFramed() ? inFrame : "The browser blocked copying. Allow this page to use the clipboard, then try again.",
  );
}
