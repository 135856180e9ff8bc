/** The entries of a bundle; nothing where it does not end with an entry. */
export function parseEntryBundle(bundle: Uint8Array): Uint8Array[] | undefined {
  const entries: Uint8Array[] = []
  let at = 0
  while (at < bundle.length) {
    const [high, low] = [bundle[at], bundle[at + 1]]
    if (high === undefined || low === undefined) return undefined
    const end = at + 2 + high * 256 + low
    if (end > bundle.length) return undefined
    entries.push(bundle.subarray(at + 2, end))
    at = end
  }
  return entries
}
