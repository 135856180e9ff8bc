const NEWLINE = 0x0a

/** Where a slice of a text in UTF-8 ends: after its last whole line, without one after its last whole character, and never at 0. */
export function sliceEnd(bytes: Uint8Array): number {
  const line = bytes.lastIndexOf(NEWLINE)
  if (line >= 0) return line + 1
  const lead = leadOfLast(bytes)
  const isCut = lead + characterLength(bytes[lead] ?? 0) > bytes.length
  return isCut && lead > 0 ? lead : bytes.length
}

/** The position of the byte that begins the last character. */
function leadOfLast(bytes: Uint8Array): number {
  let at = Math.max(0, bytes.length - 1)
  const first = Math.max(0, at - 3)
  while (at > first && isContinuation(bytes[at] ?? 0)) at -= 1
  return at
}

const isContinuation = (byte: number): boolean => byte >> 6 === 0b10

/** How many bytes the character has that begins with this one. */
function characterLength(lead: number): number {
  if (lead >> 5 === 0b110) return 2
  if (lead >> 4 === 0b1110) return 3
  return lead >> 3 === 0b11110 ? 4 : 1
}
