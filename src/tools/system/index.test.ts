import { describeTools } from "../testing/describe-tools.js";
import { systemTools } from "./index.js";

describeTools("system", systemTools);
