const bars = (count: number) => Array.from({ length: count }, (_, place) => place);

function Lines({ count }: { count: number }) {
  return bars(count).map((place) => (
    <div className="skeleton-row" key={place}>
      <div className="skeleton" />
    </div>
  ));
}

/** The shape of the page, shown when the first answer takes longer than 300 ms. */
export function OverviewSkeleton() {
  return (
    <div className="loading">
      <p className="sr" role="status">
        Asking the platform
      </p>
      <div aria-hidden="true">
        <div className="skeleton-head">
          <div className="skeleton" />
          <div className="skeleton" />
        </div>
        <div className="rack">
          {bars(4).map((place) => (
            <div className="slot" key={place}>
              <div className="module skeleton-module">
                <div className="skeleton" />
                <div className="skeleton" />
              </div>
            </div>
          ))}
        </div>
        <div className="overview-columns">
          <div className="card">
            <Lines count={6} />
          </div>
          <div className="card">
            <Lines count={5} />
          </div>
        </div>
      </div>
    </div>
  );
}
