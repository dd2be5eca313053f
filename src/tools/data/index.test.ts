import { describeTools } from "../testing/describe-tools.js";
import { dataTools } from "./index.js";

describeTools(
  "data",
  Object.values(dataTools).map((make) => make()),
);
