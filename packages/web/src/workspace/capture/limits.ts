/** Limits of the browser's side of a screenshot. */
export const CAPTURE_LIMITS = {
  /** Per step of a shot. The server waits 15 s for all of them. */
  stepTimeoutMs: 4_000,
  /** Shots that wait for their turn. */
  maxQueued: 50,
  /** A page without changes sends no frames: something in it changes this often during a shot. */
  blinkMs: 16,
  /** Frames of the wrong size that are skipped before one is taken as it is. */
  maxUnfitFrames: 4,
  /** How long a panel that was just shown may load before it is captured. */
  loadsWithinMs: 1_000,
  /** For all attempts to send the picture together. */
  uploadTimeoutMs: 10_000,
  uploadAttempts: 6,
  uploadAgainMs: 500,
  frameRate: 60,
} as const;
