/** The items of an array, which is emptied: what is made of them can take the memory that they leave. */
export function* drain<Item extends object>(items: Item[]): Generator<Item> {
  items.reverse();
  for (let item = items.pop(); item !== undefined; item = items.pop()) yield item;
}
