/** The item that a key moves to; undefined when the key does not move. */
export function menuMove(key: string, from: number, labels: readonly string[]): number | undefined {
  const { length } = labels;
  if (length === 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return (from + 1) % length;
    case "ArrowUp":
      return (from - 1 + length) % length;
    case "Home":
      return 0;
    case "End":
      return length - 1;
  }
  if (key.length !== 1 || key === " ") return undefined;
  const letter = key.toLowerCase();
  for (let step = 1; step <= length; step++) {
    const place = (from + step) % length;
    if (labels[place]?.toLowerCase().startsWith(letter)) return place;
  }
  return undefined;
}
