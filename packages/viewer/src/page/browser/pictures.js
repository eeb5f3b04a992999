// Images come with the token in a header, so they are fetched and shown as blobs. Those that nothing shows are given back.
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
