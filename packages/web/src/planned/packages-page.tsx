import { PlannedPage } from "./planned-page.tsx";

export function PackagesPage() {
  return (
    <PlannedPage
      name="Packages"
      purpose="Plugins, libraries and colour themes that your design tool installs from here."
      plan={[
        {
          what: "Search",
          how: "Find a package by name, type or licence, and see what works with your version of the tool.",
        },
        {
          what: "Install",
          how: "One address to add to your design tool. What is installed can be checked file by file.",
        },
        { what: "Publish", how: "Upload an archive. The bytes of a published version never change." },
      ]}
    />
  );
}
