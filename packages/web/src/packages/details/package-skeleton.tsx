import { PageTitle } from "../../shell/page-title.tsx";

const bars = (count: number) =>
  Array.from({ length: count }, (_, place) => place).map((place) => <div className="skeleton" key={place} />);

/** The shape of the page, shown when the first answer takes longer than 300 ms. */
export function PackageSkeleton() {
  return (
    <>
      <div className="sr">
        <PageTitle name="Package" />
      </div>
      <div className="loading">
        <p className="sr" role="status">
          Asking for the package
        </p>
        <div aria-hidden="true">
          <div className="crumbs">&nbsp;</div>
          <div className="package-top">
            <span className="pkg-icon large" />
            <div className="package-bars">{bars(3)}</div>
          </div>
          <div className="pkg-columns">
            <div className="card card-body package-bars">{bars(6)}</div>
            <div className="card card-body package-bars">{bars(4)}</div>
          </div>
        </div>
      </div>
    </>
  );
}
