const ROWS = [0, 1, 2, 3, 4, 5];

/** The shape of the list, shown when the first answer takes longer than 300 ms. */
export function ListSkeleton() {
  return (
    <div className="card loading">
      <p className="sr" role="status">
        Asking for packages
      </p>
      <div aria-hidden="true">
        <div className="pkg-head">&nbsp;</div>
        {ROWS.map((row) => (
          <div className="pkg-row pkg-row-skeleton" key={row}>
            <span className="skeleton pkg-icon" />
            <div>
              <div className="skeleton" />
              <div className="skeleton" />
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
