import { copyImage, copyText } from "./copying.js";
import { partOf, sayCopied, setText } from "./elements.js";
import { isFramed } from "./focus.js";

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
  setText(said, isFramed ? inFrame : "The browser did not allow it. Let this page use the clipboard, then try again.");
}
