import "./card-page.css";
import { Suspense } from "react";
import { Link, Outlet, useLocation } from "react-router";
import { Mark } from "./mark.tsx";
import { PageErrorBoundary } from "./page-error-boundary.tsx";

/** One card in the middle of the window, without the bar of the app. */
export function CardPage() {
  const { pathname } = useLocation();
  return (
    <main className="alone">
      <div className="alone-box ask">
        <div className="alone-top">
          <Link className="row alone-home" to="/">
            <Mark />
            <b>Backplane</b>
          </Link>
          <span>{window.location.host}</span>
        </div>
        <PageErrorBoundary key={pathname}>
          <Suspense>
            <Outlet />
          </Suspense>
        </PageErrorBoundary>
      </div>
    </main>
  );
}
