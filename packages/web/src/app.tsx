import { lazy, type ReactNode } from "react";
import { BrowserRouter, Route, Routes } from "react-router";
import { NotFoundPage } from "./not-found-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import type { AddressSecrets } from "./session/address-secrets.ts";
import { type Asked, SessionProvider } from "./session/session.tsx";
import { CardPage } from "./shell/card-page.tsx";
import { FullWindow } from "./shell/full-window.tsx";
import { Layout } from "./shell/layout.tsx";

// The overview is the first page; the others load on demand.
const WorkspacesPage = lazy(() =>
  import("./workspaces/workspaces-page.tsx").then((m) => ({ default: m.WorkspacesPage })),
);
const DevicesPage = lazy(() =>
  import("./workspace/pages/devices/devices-page.tsx").then((m) => ({ default: m.DevicesPage })),
);
const RecordingsPage = lazy(() =>
  import("./workspace/pages/recordings/recordings-page.tsx").then((m) => ({ default: m.RecordingsPage })),
);
const PackagesPage = lazy(() => import("./packages/list/packages-page.tsx").then((m) => ({ default: m.PackagesPage })));
const PackagePage = lazy(() => import("./packages/details/package-page.tsx").then((m) => ({ default: m.PackagePage })));
const PublishPage = lazy(() => import("./packages/publish/publish-page.tsx").then((m) => ({ default: m.PublishPage })));
const AccountPage = lazy(() => import("./account/account-page.tsx").then((m) => ({ default: m.AccountPage })));
const SystemPage = lazy(() => import("./system/system-page.tsx").then((m) => ({ default: m.SystemPage })));
const SignInPage = lazy(() => import("./sign-in/sign-in-page.tsx").then((m) => ({ default: m.SignInPage })));
const JoinPage = lazy(() => import("./join/join-page.tsx").then((m) => ({ default: m.JoinPage })));
const ResetPage = lazy(() => import("./reset/reset-page.tsx").then((m) => ({ default: m.ResetPage })));
const ApprovePage = lazy(() => import("./approve/approve-page.tsx").then((m) => ({ default: m.ApprovePage })));

type Props = { asked: Asked | Promise<Asked>; secrets: AddressSecrets; workspacePage: ReactNode };

export function App({ asked, secrets, workspacePage }: Props) {
  return (
    <SessionProvider asked={asked}>
      <BrowserRouter>
        <Routes>
          <Route element={<Layout />}>
            <Route index element={<OverviewPage />} />
            <Route path="workspaces" element={<WorkspacesPage />} />
            <Route path="packages" element={<PackagesPage />} />
            <Route path="packages/publish" element={<PublishPage />} />
            <Route path="packages/:identifier" element={<PackagePage />} />
            <Route path="account" element={<AccountPage />} />
            <Route path="system" element={<SystemPage />} />
            <Route path="*" element={<NotFoundPage />} />
          </Route>
          <Route path="w/:owner/:repo" element={<FullWindow />}>
            <Route index element={workspacePage} />
            <Route path="devices" element={<DevicesPage />} />
            <Route path="recordings" element={<RecordingsPage />} />
          </Route>
          <Route path="auth" element={<CardPage />}>
            <Route path="sign-in" element={<SignInPage />} />
            <Route path="join" element={<JoinPage invitation={secrets.invitation} />} />
            <Route path="reset" element={<ResetPage token={secrets.reset} />} />
            <Route path="intent" element={<ApprovePage token={secrets.intent} />} />
          </Route>
        </Routes>
      </BrowserRouter>
    </SessionProvider>
  );
}
