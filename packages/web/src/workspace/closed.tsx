import type { ReactNode } from "react";
import { Bar } from "../shell/bar.tsx";

/** Shown instead of a workspace. */
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
