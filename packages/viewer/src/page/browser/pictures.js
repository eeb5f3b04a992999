// Fetches pictures and shows the two files. An <img> cannot send the token, so pictures are fetched and shown as blobs.
import { byId, partOf, setText } from "./elements.js";
import { bytesInWords, percentOf, pixelsInWords } from "./texts.js";

export const THUMBNAIL = "thumbnail.webp";

// Undefined if the browser cannot decode it.
export const pixelsAt = (address) =>
  new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => resolve(undefined);
    image.src = address;
  });

export function createPictures({ fetchPicture }) {
  const blobs = new Map();
  const addresses = new Map();
  const keyOf = (id, file) => `${id}/${file}`;

  function blobOf(id, file) {
    const key = keyOf(id, file);
    if (!blobs.has(key)) {
      const blob = fetchPicture(id, file);
      blobs.set(key, blob);
      // Try again the next time.
      blob.catch(() => blobs.delete(key));
    }
    return blobs.get(key);
  }

  return {
    blobOf,
    async addressOf(id, file) {
      const key = keyOf(id, file);
      const blob = await blobOf(id, file);
      // Dropped by `keep` meanwhile.
      if (!blobs.has(key)) return undefined;
      if (!addresses.has(key)) addresses.set(key, URL.createObjectURL(blob));
      return addresses.get(key);
    },
    // Frees all pictures but those of the shown screenshot and the thumbnails of the listed ones.
    keep(listed, shownId) {
      for (const key of [...blobs.keys()]) {
        const id = key.slice(0, key.indexOf("/"));
        if (id === shownId || (listed.has(id) && key.endsWith(`/${THUMBNAIL}`))) continue;
        const address = addresses.get(key);
        if (address !== undefined) URL.revokeObjectURL(address);
        addresses.delete(key);
        blobs.delete(key);
      }
    },
  };
}

// For larger originals the optimized file is shown: the picture on the page is small.
const MAX_SHOWN_ORIGINAL_BYTES = 8 * 1024 * 1024;

const pictureOf = (kind, { original }) =>
  kind === "original" && original.bytes <= MAX_SHOWN_ORIGINAL_BYTES ? "original.png" : "optimized.png";

function factsOf(kind, paste) {
  const { optimized, original } = paste;
  if (kind === "original") return `${pixelsInWords(original)} · ${bytesInWords(original.bytes)}`;
  const percent = percentOf(paste);
  const change = percent === undefined ? "unchanged" : `${percent} %`;
  return `${pixelsInWords(optimized)} · ${change} · ${bytesInWords(optimized.bytes)}`;
}

function showPicture(image, address) {
  image.hidden = address === undefined;
  if (address === undefined) image.removeAttribute("src");
  else if (image.getAttribute("src") !== address) image.src = address;
}

export function createShots({ pictures, can }) {
  function showOne(kind, { job, paste, preview }) {
    const card = byId(kind);
    const image = partOf(card, "image");
    card.classList.toggle("busy", paste === undefined);
    setText(partOf(card, "facts"), paste ? factsOf(kind, paste) : "");
    setText(partOf(card, "path"), paste ? paste[kind].path : "");
    image.alt = paste ? `${paste.name}, ${kind}` : "The pasted image";
    const key = paste ? `${paste.id}/${kind}` : "";
    if (paste && image.dataset.of === key) return;
    image.dataset.of = key;
    setText(partOf(card, "said"), "");
    // Shows the pasted image until the file is fetched.
    showPicture(image, job ? job.preview : preview);
    if (job || !can.pictures || (kind === "original" && preview)) return;
    pictures.addressOf(paste.id, pictureOf(kind, paste)).then(
      (address) => {
        if (image.dataset.of === key && address) showPicture(image, address);
      },
      () => {},
    );
  }

  for (const button of document.querySelectorAll('[data-do="copy-image"]')) button.hidden = !can.pictures;
  return {
    show(what) {
      for (const kind of ["optimized", "original"]) showOne(kind, what);
    },
  };
}
