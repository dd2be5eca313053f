import type { Lock } from "./locks.js";

/**
 * Who waits for whom, by the locks they name.
 *
 * Multi-granularity locking: a call that touches `/a/b` leaves its intention on `/` and `/a` and its
 * real mode on `/a/b`, so two calls conflict exactly where their modes on one node are incompatible.
 * Calls do not wait for each other but for groups of equal mode on a node, which keeps memory and time
 * linear in the number of calls where pairs would be quadratic.
 */
export class ConflictGraph<Owner> {
  readonly #roots = {
    path: new Node<Owner>(undefined, ""),
    session: new Node<Owner>(undefined, ""),
    env: new Node<Owner>(undefined, ""),
    host: new Node<Owner>(undefined, ""),
    lock: new Node<Owner>(undefined, ""),
  };

  /** Take the locks, behind every conflicting claim that is here already. */
  enter(claim: Claim<Owner>, locks: readonly Lock[]): void {
    for (const node of this.#visit(locks)) {
      waitAt(node, claim);
      joinAt(node, claim);
    }
  }

  /** Take the locks without waiting: only claims that come later wait. */
  announce(claim: Claim<Owner>, locks: readonly Lock[]): void {
    for (const node of this.#visit(locks)) joinAt(node, claim);
  }

  /** Whether nothing is held, waited for or kept in memory. */
  get empty(): boolean {
    return Object.values(this.#roots).every((root) => isIdle(root));
  }

  // The modes of one call are merged per node, so that it never waits for itself.
  #visit(locks: readonly Lock[]): readonly Node<Owner>[] {
    const visited: Node<Owner>[] = [];
    for (const { space, key, write, partial } of locks) {
      let node = this.#roots[space];
      if (space === "path") {
        for (const name of key.split("/")) {
          if (name === "") continue;
          want(node, write ? Mode.intendWrite : Mode.intendRead, visited);
          node = childOf(node, name);
        }
      } else {
        node = childOf(node, key);
      }
      if (partial === true) want(node, write ? Mode.intendWrite : Mode.intendRead, visited);
      else want(node, write ? Mode.write : Mode.read, visited);
    }
    return visited;
  }
}

/** One call's place in one or more graphs. */
export class Claim<Owner> {
  /** How many groups of earlier, conflicting claims are unfinished. */
  blockers = 0;
  readonly blockedBy: Group<Owner>[] = [];
  readonly memberOf: Group<Owner>[] = [];
  readonly owner: Owner;

  constructor(owner: Owner) {
    this.owner = owner;
  }
}

/** Take a claim out of its graphs, done or not; those that nothing blocks any more are handed to `onFree`. */
export function leaveGraphs<Owner>(claim: Claim<Owner>, onFree: (owner: Owner) => void): void {
  if (claim.blockers > 0) {
    for (const group of claim.blockedBy) {
      if (group.dependents?.delete(claim) === true) settle(group, onFree);
    }
  }
  for (const group of claim.memberOf) {
    group.members--;
    settle(group, onFree);
  }
}

const Mode = { intendRead: 0, intendWrite: 1, read: 2, readAndIntendWrite: 3, write: 4 } as const;
type Mode = (typeof Mode)[keyof typeof Mode];

const conflictsOf: Readonly<Record<Mode, readonly Mode[]>> = {
  [Mode.intendRead]: [Mode.write],
  [Mode.intendWrite]: [Mode.read, Mode.readAndIntendWrite, Mode.write],
  [Mode.read]: [Mode.intendWrite, Mode.readAndIntendWrite, Mode.write],
  [Mode.readAndIntendWrite]: [Mode.intendWrite, Mode.read, Mode.readAndIntendWrite, Mode.write],
  [Mode.write]: [Mode.intendRead, Mode.intendWrite, Mode.read, Mode.readAndIntendWrite, Mode.write],
};

/**
 * The claims of one mode on one node between two conflicting arrivals. Groups of one mode form a chain
 * (`earlier`, `later`), and a group is finished only when those before it are. So waiting for the newest
 * group of a mode is waiting for all claims of that mode, even where the claims between two groups were
 * cancelled and no longer hold them apart.
 */
class Group<Owner> {
  members = 0;
  /** Something waits for it, so it takes no more members. */
  sealed = false;
  earlier: Group<Owner> | undefined;
  later: Group<Owner> | undefined;
  dependents: Set<Claim<Owner>> | undefined;
  readonly node: Node<Owner>;
  readonly mode: Mode;

  constructor(node: Node<Owner>, mode: Mode) {
    this.node = node;
    this.mode = mode;
  }
}

class Node<Owner> {
  /** The newest unfinished group of each mode. */
  readonly groups: (Group<Owner> | undefined)[] = [undefined, undefined, undefined, undefined, undefined];
  /** How many modes have such a group. */
  busy = 0;
  /** Made on demand, since most nodes are leaves. */
  children: Map<string, Node<Owner>> | undefined;
  /** The mode that the call now entering wants here. */
  wanted: Mode | undefined;
  readonly parent: Node<Owner> | undefined;
  readonly name: string;

  constructor(parent: Node<Owner> | undefined, name: string) {
    this.parent = parent;
    this.name = name;
  }
}

function childOf<Owner>(parent: Node<Owner>, name: string): Node<Owner> {
  const known = parent.children?.get(name);
  if (known !== undefined) return known;
  const node = new Node(parent, name);
  parent.children ??= new Map();
  parent.children.set(name, node);
  return node;
}

function want<Owner>(node: Node<Owner>, mode: Mode, visited: Node<Owner>[]): void {
  if (node.wanted === undefined) visited.push(node);
  node.wanted = node.wanted === undefined ? mode : mergeModes(node.wanted, mode);
}

function mergeModes(a: Mode, b: Mode): Mode {
  const stronger = a > b ? a : b;
  const weaker = a > b ? b : a;
  return stronger === Mode.read && weaker === Mode.intendWrite ? Mode.readAndIntendWrite : stronger;
}

function waitAt<Owner>(node: Node<Owner>, claim: Claim<Owner>): void {
  for (const mode of conflictsOf[node.wanted as Mode]) {
    const group = node.groups[mode];
    if (group === undefined) continue;
    group.sealed = true;
    group.dependents ??= new Set();
    group.dependents.add(claim);
    claim.blockedBy.push(group);
    claim.blockers++;
  }
}

function joinAt<Owner>(node: Node<Owner>, claim: Claim<Owner>): void {
  const mode = node.wanted as Mode;
  node.wanted = undefined;
  let group = node.groups[mode];
  if (group === undefined || group.sealed) {
    const fresh = new Group(node, mode);
    fresh.earlier = group;
    if (group === undefined) node.busy++;
    else group.later = fresh;
    node.groups[mode] = fresh;
    group = fresh;
  }
  group.members++;
  claim.memberOf.push(group);
}

function settle<Owner>(group: Group<Owner>, onFree: (owner: Owner) => void): void {
  if (group.members > 0) return;
  if (group.earlier === undefined) finish(group, onFree);
  else if (group.dependents === undefined || group.dependents.size === 0) unlink(group, group.earlier);
}

// A loop, since a chain of cancelled groups can be long.
function finish<Owner>(first: Group<Owner>, onFree: (owner: Owner) => void): void {
  let group: Group<Owner> | undefined = first;
  while (group !== undefined && group.members === 0) {
    const { dependents, later, node, mode }: Group<Owner> = group;
    group.dependents = undefined;
    if (later === undefined) {
      node.groups[mode] = undefined;
      node.busy--;
    } else later.earlier = undefined;
    if (dependents !== undefined) {
      for (const claim of dependents) {
        if (--claim.blockers === 0) onFree(claim.owner);
      }
    }
    group = later;
  }
  prune(first.node);
}

// An empty group that nothing waits for is the same as the one before it.
function unlink<Owner>(group: Group<Owner>, earlier: Group<Owner>): void {
  earlier.later = group.later;
  if (group.later === undefined) group.node.groups[group.mode] = earlier;
  else group.later.earlier = earlier;
}

function prune<Owner>(from: Node<Owner>): void {
  let node = from;
  while (node.parent !== undefined && isIdle(node)) {
    node.parent.children?.delete(node.name);
    node = node.parent;
  }
}

function isIdle<Owner>(node: Node<Owner>): boolean {
  return node.busy === 0 && (node.children === undefined || node.children.size === 0);
}
