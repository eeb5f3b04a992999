/** In pixels of the picture as it was given. */
export type Line = {
  text: string;
  /** How large the text is set: the font's size. */
  height: number;
  x: number;
  y: number;
  width: number;
  /** 0 to 100. */
  confidence: number;
};

export type RecognisedText = {
  /** From top to bottom, and from left to right what stands side by side. As read: with secrets. */
  lines: Line[];
  /** A line each, with an empty one between blocks, in the order of reading. Without secrets. */
  text: string;
};

export const NOTHING_RECOGNISED: RecognisedText = { lines: [], text: "" };
