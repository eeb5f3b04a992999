/** What decoding and encoding may take; the bounds that callers see are in contract.ts. */
export const IMAGE_LIMITS = {
  /** Enough to know every type by. */
  sniffedBytes: 64,
  /** One pass over an image. Decoders that crawl are ended. */
  passTimeoutS: 60,
  /** Threads of one pass. */
  threadsPerPass: 4,
  /** Of one PNG that is read in pieces: a file of 32 MB could have millions, and take a hundred times its size. */
  maxPngChunks: 65_536,
  /** Of an animation, of which the first is kept. */
  maxFrames: 10_000,
  /** A strip loses what it could have repeated of the one above: only large ones are worth it. */
  minStripPixels: 100_000,
  thumbnailPixels: 320,
  thumbnailQuality: 80,
  /** An image with more colours has no palette. */
  maxPaletteColours: 256,
  /** What a PNG of drawn things and text stays under; photographs are above. */
  drawnBytesPerPixel: 0.6,
  /** What stays above this when filtered takes a second to compress; the rest is not worth strips. */
  slowBytesPerPixel: 0.25,
  /** Filters are tried on bands of so many rows, one of so many bands. */
  trialBandRows: 16,
  trialEveryBands: 12,
} as const;
