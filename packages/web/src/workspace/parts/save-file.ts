const TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** Saves a file on the person's computer. */
export function saveFile(name: string, content: string | Blob): void {
  const link = document.createElement("a");
  const type = TYPES[name.slice(name.lastIndexOf("."))] ?? "text/plain";
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  link.download = name;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
