/** What a heap can hold: an item that knows its own place, so that it can leave from the middle. */
export interface HeapItem {
  /** -1 outside the heap. */
  heapIndex: number;
}

/** A binary heap whose items can be removed or moved in O(log n). */
export class Heap<Item extends HeapItem> {
  readonly #items: Item[] = [];
  readonly #before: (a: Item, b: Item) => boolean;

  constructor(before: (a: Item, b: Item) => boolean) {
    this.#before = before;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#rise(item, this.#items.length);
  }

  remove(item: Item): void {
    const index = item.heapIndex;
    if (index < 0) return;
    const last = this.#items.pop();
    item.heapIndex = -1;
    if (last === undefined || last === item) return;
    last.heapIndex = index;
    this.#items[index] = last;
    this.moved(last);
  }

  /** Put an item right whose order has changed. */
  moved(item: Item): void {
    this.#rise(item, item.heapIndex);
    this.#sink(item, item.heapIndex);
  }

  #rise(item: Item, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.#items[above] as Item;
      if (!this.#before(item, parent)) break;
      this.#put(parent, index);
      index = above;
    }
    this.#put(item, index);
  }

  #sink(item: Item, from: number): void {
    let index = from;
    for (;;) {
      const below = this.#smallerChild(index);
      if (below === undefined || !this.#before(below, item)) break;
      const next = below.heapIndex;
      this.#put(below, index);
      index = next;
    }
    this.#put(item, index);
  }

  #smallerChild(index: number): Item | undefined {
    const left = this.#items[2 * index + 1];
    const right = this.#items[2 * index + 2];
    if (left === undefined || right === undefined) return left;
    return this.#before(right, left) ? right : left;
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }
}
