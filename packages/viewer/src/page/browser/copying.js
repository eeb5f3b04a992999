// To the clipboard. A sandboxed frame has no clipboard of its own to write to, but may copy what is selected in it.
// Asked for before it is tried: a browser complains of each attempt.
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
