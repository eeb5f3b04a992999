import { Component, type ReactNode } from "react";
import { Note } from "../parts/note.tsx";
import { PageTitle } from "./page-title.tsx";

type Props = { children: ReactNode };
type State = { failed: boolean };

/** Catches a page that fails to load, usually because an update removed its file. */
export class PageErrorBoundary extends Component<Props, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <>
        <div className="page-head">
          <PageTitle name="This page did not load" />
        </div>
        <Note tone="danger">
          <strong>A part of the app is missing.</strong> Backplane may have been updated while this tab was open.{" "}
          <a href={window.location.href}>Reload the page</a>.
        </Note>
      </>
    );
  }
}
