import type { FileMutation } from "../../../contract/ports/files.js";
import { large } from "./plant.js";

/** Every kind of change, on files, trees and names that hang together. */
export const manyChanges: readonly FileMutation[] = [
  { op: "write", path: "edited", data: Buffer.from("edited: after") },
  { op: "write", path: "made/deep/new", data: Buffer.from("new") },
  { op: "append", path: "made/deep/new", data: Buffer.from(" and more") },
  { op: "delete", path: "gone" },
  { op: "move", from: "old-name", to: "made/new-name" },
  { op: "write", path: "made/new-name", data: Buffer.from("moved and edited") },
  { op: "move", from: "replacing", to: "replaced", overwrite: true },
  { op: "delete", path: "tree", recursive: true },
  { op: "mkdir", path: "tree" },
  { op: "copy", from: "edited", to: "tree/copy" },
  { op: "move", from: "directory", to: "made/directory" },
  { op: "write", path: "made/directory/inner", data: Buffer.from("inner: after") },
  {
    op: "splice",
    path: "large",
    before: Buffer.from(large),
    splices: [
      { start: 100, end: 120, data: Buffer.from("replaced") },
      { start: 5000, end: 25_000, data: Buffer.from("and more than stands in a row of the journal") },
    ],
  },
  { op: "move", from: "large-too", to: "made/large-too" },
  {
    op: "splice",
    path: "made/large-too",
    before: Buffer.from(large),
    splices: [{ start: 0, end: 6, data: Buffer.from("THE") }],
  },
];
