import { SQLITE } from "../workspaces/stages.suite.ts";
import { testLessons } from "./lessons.suite.ts";

testLessons(SQLITE);
