import type { ReactNode } from "react";
import { Bar } from "../shell/bar.tsx";

/** In the place of a workspace that is not shown. */
export function Closed({ children }: { children: ReactNode }) {
  return (
    <>
      <Bar />
      <main className="page">
        <section className="card empty workspace-closed">{children}</section>
      </main>
    </>
  );
}
