import { Suspense } from "react";
import { Outlet, useLocation } from "react-router";
import { PageErrorBoundary } from "./page-error-boundary.tsx";

/** A page that fills the window and has its own bar. */
export function FullWindow() {
  const { pathname } = useLocation();
  return (
    <PageErrorBoundary key={pathname}>
      <Suspense>
        <Outlet />
      </Suspense>
    </PageErrorBoundary>
  );
}
