type Props = { text: string; className?: string };

/** A command for a terminal. Its lines break between words, never inside an option such as --url. */
export function Command({ text, className = "prompted" }: Props) {
  return (
    <code className={className}>
      {text.split(/(?<=\s)(--[\w-]+)/).map((piece) =>
        piece.startsWith("--") ? (
          <span key={piece} className="nowrap">
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
    </code>
  );
}
