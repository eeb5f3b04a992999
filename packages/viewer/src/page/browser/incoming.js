// The ways in: paste, drop, choose. Anywhere on the page.
import { byId } from "./elements.js";
import { takeImages } from "./intake.js";

export function listenForImages(onTaken) {
  document.addEventListener("paste", (event) => {
    const taken = takeImages(event.clipboardData, "clipboard");
    // Text goes where somebody types.
    if (taken.images.length === 0 && event.target.closest?.("input")) return;
    event.preventDefault();
    onTaken(taken);
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
    onTaken(takeImages(event.dataTransfer, "dropped"));
  });

  byId("file").addEventListener("change", ({ target }) => {
    const files = [...target.files];
    // The same file may be chosen again.
    target.value = "";
    if (files.length > 0) onTaken(takeImages({ files, types: [] }, "dropped"));
  });
}
