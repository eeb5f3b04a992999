import { Suspense } from "react";
import { Outlet, useLocation } from "react-router";
import { LoadFault } from "../shell/load-fault.tsx";

/** The whole window, for a page with a bar of its own. */
export function Whole() {
  const { pathname } = useLocation();
  return (
    <LoadFault key={pathname}>
      <Suspense>
        <Outlet />
      </Suspense>
    </LoadFault>
  );
}
