// Paste, drop and choose a file: finds the images in it, anywhere on the page.
import { byId } from "./elements.js";
import { ViewerFault } from "./faults.js";

const NAMES_SHOWN = 3;

// A file without a known extension has no type here; the viewer recognises it by its bytes.
const mayBeImage = ({ type }) => type === "" || type.startsWith("image/");

function filesIn(transfer) {
  const items = [...(transfer.items ?? [])].filter(({ kind }) => kind === "file").map((item) => item.getAsFile());
  const files = items.length > 0 ? items : [...(transfer.files ?? [])];
  return files.filter((file) => file !== null);
}

function namesInWords(files) {
  const names = files.slice(0, NAMES_SHOWN).map(({ name }) => name || "the file");
  const more = files.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""} ${files.length === 1 ? "is" : "are"}`;
}

// `how`: "clipboard" or "dropped". Programs often copy text along with an image; then the image counts.
export function findImages(transfer, how) {
  const files = filesIn(transfer);
  const images = files.filter(mayBeImage);
  const others = files.filter((file) => !mayBeImage(file));
  if (others.length > 0) {
    const code = images.length > 0 ? "some-not-images" : "not-images";
    return { images, fault: new ViewerFault(code, { names: namesInWords(others) }) };
  }
  if (images.length > 0) return { images };
  return { images, fault: new ViewerFault(nothingIn(transfer, how)) };
}

function nothingIn({ types }, how) {
  if (how === "dropped") return "dropped-other";
  if (types.length === 0) return "clipboard-empty";
  return [...types].some((type) => type.startsWith("text/")) ? "clipboard-text" : "clipboard-other";
}

export const canReadClipboard = () =>
  navigator.clipboard?.read !== undefined && document.featurePolicy?.allowsFeature("clipboard-read") !== false;

// Call it directly after a click: the browser may ask the person first.
export async function readClipboard() {
  try {
    const items = await navigator.clipboard.read();
    const pictures = items.flatMap((item) => {
      const type = item.types.find((one) => one.startsWith("image/"));
      return type ? [item.getType(type)] : [];
    });
    const types = items.flatMap((item) => item.types);
    return findImages({ files: await Promise.all(pictures), types }, "clipboard");
  } catch {
    return { images: [], fault: new ViewerFault("clipboard-refused") };
  }
}

export function checkImage({ size }, maxBytes) {
  return size > maxBytes ? new ViewerFault("file-too-large", { bytes: size, maxBytes }) : undefined;
}

export function listenForImages(onFound) {
  document.addEventListener("paste", (event) => {
    const found = findImages(event.clipboardData, "clipboard");
    // Text can still be pasted into a text field.
    if (found.images.length === 0 && event.target.closest?.("input")) return;
    event.preventDefault();
    onFound(found);
  });

  let depth = 0;
  const setDragging = (next) => {
    depth = Math.max(0, next);
    document.body.classList.toggle("dragging", depth > 0);
  };
  document.addEventListener("dragenter", () => setDragging(depth + 1));
  document.addEventListener("dragleave", () => setDragging(depth - 1));
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    setDragging(0);
    onFound(findImages(event.dataTransfer, "dropped"));
  });

  byId("file").addEventListener("change", ({ target }) => {
    const files = [...target.files];
    // So that choosing the same file again is a change, too.
    target.value = "";
    if (files.length > 0) onFound(findImages({ files, types: [] }, "dropped"));
  });
}
