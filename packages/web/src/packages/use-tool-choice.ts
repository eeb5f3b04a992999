import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { changeAddress } from "./paths.ts";
import { loadTools, readChoice, type SavedTools, saveTools, type ToolChoice, withChoice } from "./tool-choice.ts";

export type Tools = {
  /** From the address, else the one that this browser remembers. */
  choice: ToolChoice | undefined;
  kept: SavedTools;
  choose: (choice: ToolChoice | undefined) => void;
};

function remembered(): SavedTools {
  try {
    return loadTools(window.localStorage);
  } catch {
    return { chosen: undefined, recent: [] };
  }
}

function named(search: string): ToolChoice | undefined {
  const parameters = new URLSearchParams(search);
  return readChoice(parameters.get("tool"), parameters.get("platform"));
}

/** The tool to show packages for. */
export function useToolChoice(): Tools {
  const location = useLocation();
  const [kept, setKept] = useState(remembered);
  const [choice, setChoice] = useState(() => named(location.search) ?? kept.chosen);

  useEffect(() => {
    setChoice(named(location.search) ?? remembered().chosen);
  }, [location]);

  const choose = (chosen: ToolChoice | undefined) => {
    const tools = withChoice(remembered(), chosen);
    setKept(tools);
    setChoice(chosen);
    changeAddress({ tool: chosen?.tool, platform: chosen?.platform });
    try {
      saveTools(window.localStorage, tools);
    } catch {
      // Storage is blocked: the choice lasts until the page is left.
    }
  };

  return { choice, kept, choose };
}
