export type Theme = "dark" | "light";

export type ScreenshotKind =
  | "dialog"
  | "terminal"
  | "dashboard"
  | "editor"
  | "schematic"
  | "oscilloscope"
  | "document"
  | "wordless";

export type ScreenshotSpec = {
  id: string;
  kind: ScreenshotKind;
  theme: Theme;
  /** Device pixels per CSS pixel. */
  scale: 1 | 2;
  /** Size of the image in its own pixels. */
  width: number;
  height: number;
  html: string;
  /** Stems of words that describe the subject. Empty: there is no readable text. */
  expected: string[];
  /** Must never appear in a name, neither whole nor in recognisable parts. */
  secrets: string[];
};

const WORDS_THAT_TELL = 2;
const SHORTEST_OPEN_STEM = 4;

/** A word counts if it is an expected stem, or starts with one of at least four letters (`regulators`, `flashing`). */
export function describesSubject(name: string, spec: Pick<ScreenshotSpec, "expected">): boolean {
  const open = new Set(spec.expected);
  for (const word of new Set(name.split("-"))) {
    const stem = [...open].find((one) => word === one || (one.length >= SHORTEST_OPEN_STEM && word.startsWith(one)));
    if (stem !== undefined) open.delete(stem);
  }
  return spec.expected.length - open.size >= WORDS_THAT_TELL;
}

const TELLING_RUN = 8;

/** The planted secret that a name reveals: whole, or eight characters in a row, including common OCR misreadings. */
export function leakedSecret(name: string, spec: Pick<ScreenshotSpec, "secrets">): string | undefined {
  const shown = fold(name);
  return spec.secrets.find((secret) => runs(fold(secret)).some((run) => shown.includes(run)));
}

function runs(secret: string): string[] {
  if (secret.length <= TELLING_RUN) return [secret];
  return Array.from({ length: secret.length - TELLING_RUN + 1 }, (_, at) => secret.slice(at, at + TELLING_RUN));
}

/** Drops what a slug drops, and maps look-alike characters to the same letter. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/[o0]/g, "0")
    .replace(/[il1|]/g, "1")
    .replace(/[s5]/g, "5")
    .replace(/[b8]/g, "8")
    .replace(/[z2]/g, "2");
}
