// Images come with the token in a header, so they are fetched and shown as blobs. Those that nothing shows are given back.
import { byId, partOf, setText } from "./elements.js";
import { bytesInWords, percentOf, pixelsInWords } from "./texts.js";

export const THUMBNAIL = "thumbnail.webp";

// Undefined for what the browser cannot show.
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
      // One that failed is asked for again the next time.
      blob.catch(() => blobs.delete(key));
    }
    return blobs.get(key);
  }

  return {
    blobOf,
    async addressOf(id, file) {
      const key = keyOf(id, file);
      const blob = await blobOf(id, file);
      // Given back while it came.
      if (!blobs.has(key)) return undefined;
      if (!addresses.has(key)) addresses.set(key, URL.createObjectURL(blob));
      return addresses.get(key);
    },
    // Of those listed the thumbnails, of the one that is shown all.
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

// Larger ones are not fetched for a picture as small as this one: the optimized image stands for them.
const MAX_SHOWN_ORIGINAL_BYTES = 8 * 1024 * 1024;

const pictureOf = (kind, { original }) =>
  kind === "original" && original.bytes <= MAX_SHOWN_ORIGINAL_BYTES ? "original.png" : "optimized.png";

function factsOf(kind, paste) {
  const { optimized, original } = paste;
  if (kind === "original") return `${pixelsInWords(original)} · ${bytesInWords(original.bytes)}`;
  const percent = percentOf(paste);
  const change = percent === undefined ? "kept as it was" : `${percent} %`;
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
    image.alt = paste ? `${paste.name}, ${kind}` : "What was pasted";
    const key = paste ? `${paste.id}/${kind}` : "";
    if (paste && image.dataset.of === key) return;
    image.dataset.of = key;
    setText(partOf(card, "said"), "");
    // What was pasted stands in until the file is there: it has the same pixels, or more.
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
