/** A file pays each of its lines: the second line to one recipient is another payment, and so has another id. */
export function idOfLine(): (recipient: string) => string {
  const seen = new Map<string, number>()
  return (recipient) => {
    const count = (seen.get(recipient) ?? 0) + 1
    seen.set(recipient, count)
    return count === 1 ? recipient : `${recipient} (${count})`
  }
}
