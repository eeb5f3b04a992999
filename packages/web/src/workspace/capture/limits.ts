/** Bounds of the browser's side of a screenshot. */
export const CAPTURE_LIMITS = {
  /** For each step of a shot. The server waits 15 s for all of them. */
  stepTimeoutMs: 4_000,
  /** Shots that wait for their turn. */
  maxQueued: 50,
  /** A page that stands still sends no frames: something in it changes this often during a shot. */
  beatMs: 16,
  /** Frames that may have another size than the element before one is taken as it is. */
  maxUnfitFrames: 4,
  /** For a panel that was just put in front to load what it shows. */
  settlesWithinMs: 1_000,
  uploadTimeoutMs: 10_000,
  frameRate: 60,
} as const;
