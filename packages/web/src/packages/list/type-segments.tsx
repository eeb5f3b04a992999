import type { PackageType } from "@backplane/contract/registry";

type Props = { type: PackageType | undefined; onChoose: (type: PackageType | undefined) => void };

const segments: readonly [PackageType | undefined, string][] = [
  [undefined, "All"],
  ["plugin", "Plugins"],
  ["library", "Libraries"],
  ["colortheme", "Themes"],
];

export function TypeSegments({ type, onChoose }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend and a frame
    <div className="segmented" role="group" aria-label="Type">
      {segments.map(([value, word]) => (
        <button key={word} type="button" aria-pressed={type === value} onClick={() => onChoose(value)}>
          {word}
        </button>
      ))}
    </div>
  );
}
