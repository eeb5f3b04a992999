import { createContext } from "react";
import type { Location } from "react-router";

/** The location the app was opened at: arriving there takes no focus, going elsewhere and back does. */
export const FirstLocation = createContext<Location | undefined>(undefined);
