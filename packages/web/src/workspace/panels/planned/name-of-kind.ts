/** What a panel is called while the catalog has not said it. */
export function nameOfKind(kind: string): string {
  const words = kind.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
