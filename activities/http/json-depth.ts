const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}')

/** Whether JSON text nests its lists and objects at most `most` deep, found in one pass and without reading it as JSON. */
export function isNestedWithin(json: Uint8Array, most: number): boolean {
  let depth = 0
  let quoted = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (quoted) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) quoted = false
    } else if (byte === QUOTE) quoted = true
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++
      if (depth > most) return false
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
  }
  return true
}
