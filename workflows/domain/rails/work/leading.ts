/** How many items come before the first that does not hold, in a list where those that hold come first. */
export function leading<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(items[middle] as T)) from = middle + 1
    else to = middle
  }
  return from
}
