// Fetches pictures, and shows one with its two files. An <img> cannot send the token, so pictures are fetched and shown as blobs.
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

function showFile(kind, paste) {
  const file = byId(kind);
  setText(partOf(file, "facts"), paste ? factsOf(kind, paste) : "");
  setText(partOf(file, "path"), paste ? paste[kind].path : "");
}

export function createShot({ pictures, can }) {
  const card = byId("shot");
  const image = partOf(card, "image");
  card.querySelector('[data-do="copy-image"]').hidden = !can.pictures;
  return {
    show({ job, paste, preview }) {
      card.classList.toggle("busy", paste === undefined);
      for (const kind of ["optimized", "original"]) showFile(kind, paste);
      image.alt = paste ? paste.name : "The pasted image";
      const id = paste?.id ?? "";
      if (paste && image.dataset.of === id) return;
      image.dataset.of = id;
      setText(partOf(card, "said"), "");
      // Shows the pasted image until the file is fetched.
      showPicture(image, job ? job.preview : preview);
      if (job || !can.pictures) return;
      pictures.addressOf(id, "optimized.png").then(
        (address) => {
          if (image.dataset.of === id && address) showPicture(image, address);
        },
        () => {},
      );
    },
    // `keep` frees the picture, so it is fetched again when the same screenshot is opened again.
    close() {
      image.dataset.of = "";
    },
  };
}
