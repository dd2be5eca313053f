/** The documents that stages leave behind, by name. */
export const artifactNames = ["idea", "prd", "design", "plan", "check", "delivery"] as const;

/** The names that artifacts can have. */
export type ArtifactName = (typeof artifactNames)[number];

/** One version of a document. Times are Unix milliseconds. */
export interface ArtifactVersion {
  readonly name: ArtifactName;
  readonly iterationId: string;
  /** From 1. */
  readonly version: number;
  /** The file with the newest version, relative to the workspace where it lies inside. */
  readonly path: string;
  /** Bytes of UTF-8. */
  readonly size: number;
  readonly createdAt: number;
  readonly agent: string;
}

/** A document as it is listed: its newest version. */
export interface ArtifactSummary extends ArtifactVersion {
  /** How many versions there are. */
  readonly versions: number;
}

/** A stored document of the work on a product, with its content. */
export interface Artifact extends ArtifactVersion {
  readonly content: string;
  /** The file was changed since by someone else; `content` is what it holds now. */
  readonly changedOutside: boolean;
}

/** Which artifacts are listed. */
export interface ArtifactFilter {
  /** @default all iterations */
  readonly iterationId?: string | undefined;
}

/** Which version of an artifact is read. */
export interface ArtifactSelector {
  readonly name: ArtifactName;
  /** @default the newest */
  readonly version?: number | undefined;
  /** @default this session's */
  readonly iterationId?: string | undefined;
}

/** Documents of the pipeline: a file each in the workspace, and every version in the state. */
export interface ArtifactStore {
  /** Write a new version; what someone else made of the file meanwhile is kept as a version first. */
  save(name: ArtifactName, content: string): Promise<ArtifactVersion>;
  /** Newest iteration first, in the order of the stages. */
  list(filter?: ArtifactFilter): Promise<readonly ArtifactSummary[]>;
  read(selector: ArtifactSelector): Promise<Artifact | undefined>;
  /** Versions of one document, newest first. */
  versions(selector: Omit<ArtifactSelector, "version">): Promise<readonly ArtifactVersion[]>;
}
