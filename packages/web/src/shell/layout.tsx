import "./layout.css";
import { Suspense, useState } from "react";
import { Outlet, useLocation } from "react-router";
import { Bar } from "./bar.tsx";
import { FirstLocation } from "./first-location.ts";
import { LoadFault } from "./load-fault.tsx";
import { SkipLink } from "./skip-link.tsx";

export function Layout() {
  const location = useLocation();
  const [firstLocation] = useState(location);
  return (
    <FirstLocation value={firstLocation}>
      <SkipLink />
      <Bar />
      <main className="page" id="main" tabIndex={-1}>
        <LoadFault key={location.pathname}>
          <Suspense>
            <Outlet />
          </Suspense>
        </LoadFault>
      </main>
    </FirstLocation>
  );
}
