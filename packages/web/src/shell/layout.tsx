import "../parts/segmented.css";
import "./layout.css";
import { Suspense, useState } from "react";
import { Outlet, useLocation } from "react-router";
import { Bar } from "./bar.tsx";
import { PageErrorBoundary } from "./page-error-boundary.tsx";
import { FirstLocation } from "./page-title.tsx";

export function Layout() {
  const location = useLocation();
  const [firstLocation] = useState(location);
  return (
    <FirstLocation value={firstLocation}>
      <SkipLink />
      <Bar />
      <main className="page" id="main" tabIndex={-1}>
        <PageErrorBoundary key={location.pathname}>
          <Suspense>
            <Outlet />
          </Suspense>
        </PageErrorBoundary>
      </main>
    </FirstLocation>
  );
}

/** A button instead of an anchor: the router would treat #main as a navigation. */
function SkipLink() {
  return (
    <button className="skip btn" type="button" onClick={() => document.getElementById("main")?.focus()}>
      Skip to content
    </button>
  );
}
