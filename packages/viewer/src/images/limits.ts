/** Limits of decoding and encoding. The limits that callers see are in the contract. */
export const IMAGE_LIMITS = {
  /** Enough to recognise every type. */
  sniffedBytes: 64,
  /** For one pass over an image; slower decoders are stopped. */
  passTimeoutS: 60,
  /** Threads of one pass. */
  threadsPerPass: 4,
  /** A PNG of 32 MB could have millions of chunks, and need a hundred times its size in memory. */
  maxPngChunks: 65_536,
  /** Frames of an animation; only the first is kept. */
  maxFrames: 10_000,
  /** A strip cannot refer to the data of the one above, so only large strips pay. */
  minStripPixels: 100_000,
  thumbnailPixels: 320,
  thumbnailQuality: 80,
  /** An image with more colours gets no palette. */
  maxPaletteColours: 256,
  /** PNGs of drawings and text are smaller than this; photographs are larger. */
  drawnBytesPerPixel: 0.6,
  /** Filters are tried on bands of this many rows, on one band out of `trialEveryBands`. */
  trialBandRows: 16,
  trialEveryBands: 12,
} as const;
