import { connect } from "node:net";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

/*
 * The suite starts all its clients at once, more than a small machine can serve in time: each waits here for a
 * place, which it holds until it ends, before it loads what it is.
 */
const [, , places, program] = argv;
const place = connect(places);
place.once("data", () => {
  place.unref();
  void import(pathToFileURL(program).href);
});
