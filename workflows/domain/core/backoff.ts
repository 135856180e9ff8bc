/** Milliseconds before the next try: doubles with each try that came to nothing, from `first` to `longest`. */
export function backoffMs(
  { first, longest }: { first: number; longest: number },
  tries: number,
): number {
  return Math.min(longest, first * 2 ** Math.min(Math.max(0, tries - 1), 30))
}
