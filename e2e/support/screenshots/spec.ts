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
  /** Device pixels in a CSS pixel. */
  scale: 1 | 2;
  /** Of the picture, in its own pixels. */
  width: number;
  height: number;
  html: string;
  /** Stems of the words that tell a person what the picture is about. Empty: it has no readable text. */
  expected: string[];
  /** What must never be in a name: whole, and the parts that tell. */
  secrets: string[];
};

const WORDS_THAT_TELL = 2;
const SHORTEST_OPEN_STEM = 4;

/** A word tells when it is an expected stem, or begins with one of four letters or more (`regulators`, `flashing`). */
export function tellsSubject(name: string, spec: Pick<ScreenshotSpec, "expected">): boolean {
  const open = new Set(spec.expected);
  for (const word of new Set(name.split("-"))) {
    const stem = [...open].find((one) => word === one || (one.length >= SHORTEST_OPEN_STEM && word.startsWith(one)));
    if (stem !== undefined) open.delete(stem);
  }
  return spec.expected.length - open.size >= WORDS_THAT_TELL;
}

const TELLING_RUN = 8;

/** The planted secret that a name shows: whole, or a run of eight of its characters, also as OCR may misread them. */
export function shownSecret(name: string, spec: Pick<ScreenshotSpec, "secrets">): string | undefined {
  const shown = fold(name);
  return spec.secrets.find((secret) => runs(fold(secret)).some((run) => shown.includes(run)));
}

function runs(secret: string): string[] {
  if (secret.length <= TELLING_RUN) return [secret];
  return Array.from({ length: secret.length - TELLING_RUN + 1 }, (_, at) => secret.slice(at, at + TELLING_RUN));
}

/** Without what a slug drops, and with letters that look alike made the same. */
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
