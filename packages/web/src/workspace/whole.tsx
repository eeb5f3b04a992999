import { Suspense } from "react";
import { Outlet, useLocation } from "react-router";
import { LoadFault } from "../shell/load-fault.tsx";

/** A page that fills the window and has its own bar. */
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
