import { describeTools } from "../testing/describe-tools.js";
import { systemTools } from "./index.js";

describeTools(
  "system",
  Object.values(systemTools).map((make) => make()),
);
