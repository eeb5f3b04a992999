import { PlannedPage } from "./planned-page.tsx";

export function WorkspacesPage() {
  return (
    <PlannedPage
      name="Workspaces"
      purpose="Panels side by side, for you and for the programs you let in."
      plan={[
        {
          what: "Panels",
          how: "Web views, sandboxes and instruments in tabs and splits. The layout stays as you left it.",
        },
        {
          what: "Programs",
          how: "A program opens a panel, loads a page or runs code in it. The panel carries its name.",
        },
        { what: "Screenshots", how: "A program asks and says why. Nothing is shared until you click Share." },
      ]}
    />
  );
}
