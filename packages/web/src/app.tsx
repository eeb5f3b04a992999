import { lazy } from "react";
import { BrowserRouter, Route, Routes } from "react-router";
import { NotFoundPage } from "./not-found-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { Layout } from "./shell/layout.tsx";

// The overview is where everybody lands; the others load when they are asked for.
const WorkspacesPage = lazy(() => import("./planned/workspaces-page.tsx").then((m) => ({ default: m.WorkspacesPage })));
const PackagesPage = lazy(() => import("./planned/packages-page.tsx").then((m) => ({ default: m.PackagesPage })));
const AccountPage = lazy(() => import("./planned/account-page.tsx").then((m) => ({ default: m.AccountPage })));

export function App() {
  return (
    <BrowserRouter>
      <Routes>
        <Route element={<Layout />}>
          <Route index element={<OverviewPage />} />
          <Route path="workspaces" element={<WorkspacesPage />} />
          <Route path="packages" element={<PackagesPage />} />
          <Route path="account" element={<AccountPage />} />
          <Route path="*" element={<NotFoundPage />} />
        </Route>
      </Routes>
    </BrowserRouter>
  );
}
