const bars = ["half", "full", "full", "most"];

/** The shape of a card that stands alone, shown when the first answer takes longer than 300 ms. */
export function CardSkeleton() {
  return (
    <div className="card loading">
      <p className="sr" role="status">
        Asking Backplane
      </p>
      <div className="sect card-skeleton" aria-hidden="true">
        {bars.map((length, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never move
          <div className={`skeleton ${length}`} key={place} />
        ))}
      </div>
    </div>
  );
}
